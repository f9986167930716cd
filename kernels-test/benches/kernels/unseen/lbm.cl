/* A step of lattice Boltzmann with nine speeds in a structure per cell: pull, then rebound or collide. */
typedef struct {
    float speeds[9];
} cell;

kernel void lbm(global const cell *cells, global cell *tmp, global const int *obstacles, int nx, int ny, float omega) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny) return;
    const float c_sq = 1.0f / 3.0f, w0 = 4.0f / 9.0f, w1 = 1.0f / 9.0f, w2 = 1.0f / 36.0f;
    int y_n = (y + 1) % ny, x_e = (x + 1) % nx;
    int y_s = y == 0 ? y + ny - 1 : y - 1, x_w = x == 0 ? x + nx - 1 : x - 1;

    float s[9];
    s[0] = cells[x + y * nx].speeds[0];
    s[1] = cells[x_w + y * nx].speeds[1];
    s[2] = cells[x + y_s * nx].speeds[2];
    s[3] = cells[x_e + y * nx].speeds[3];
    s[4] = cells[x + y_n * nx].speeds[4];
    s[5] = cells[x_w + y_s * nx].speeds[5];
    s[6] = cells[x_e + y_s * nx].speeds[6];
    s[7] = cells[x_e + y_n * nx].speeds[7];
    s[8] = cells[x_w + y_n * nx].speeds[8];

    if (obstacles[x + y * nx]) {
        tmp[x + y * nx].speeds[0] = s[0];
        tmp[x + y * nx].speeds[1] = s[3];
        tmp[x + y * nx].speeds[2] = s[4];
        tmp[x + y * nx].speeds[3] = s[1];
        tmp[x + y * nx].speeds[4] = s[2];
        tmp[x + y * nx].speeds[5] = s[7];
        tmp[x + y * nx].speeds[6] = s[8];
        tmp[x + y * nx].speeds[7] = s[5];
        tmp[x + y * nx].speeds[8] = s[6];
    } else {
        float density = 0.0f;
        for (int k = 0; k < 9; k++) density += s[k];
        float u_x = (s[1] + s[5] + s[8] - (s[3] + s[6] + s[7])) / density;
        float u_y = (s[2] + s[5] + s[6] - (s[4] + s[7] + s[8])) / density;
        float u_sq = u_x * u_x + u_y * u_y;
        float u[9];
        u[0] = 0;
        u[1] = u_x;
        u[2] = u_y;
        u[3] = -u_x;
        u[4] = -u_y;
        u[5] = u_x + u_y;
        u[6] = -u_x + u_y;
        u[7] = -u_x - u_y;
        u[8] = u_x - u_y;
        for (int k = 0; k < 9; k++) {
            float w = k == 0 ? w0 : k < 5 ? w1 : w2;
            float equal = w * density * (1.0f + u[k] / c_sq + (u[k] * u[k]) / (2.0f * c_sq * c_sq)
                - u_sq / (2.0f * c_sq));
            tmp[x + y * nx].speeds[k] = s[k] + omega * (equal - s[k]);
        }
    }
}
