/* Fluxes of an inviscid gas between the cells of an unstructured grid; -1 is a wall, -2 the far field. */
#define NEIGHBOURS 4
#define GAMMA 1.4f
#define DENSITY 0
#define MOMENTUM 1
#define ENERGY 4

typedef struct {
    float x, y, z;
} vec;

typedef struct {
    float density, energy, pressure, speed, sound;
    vec momentum;
    vec flux_x, flux_y, flux_z, flux_energy;
} state;

void derive(state *s) {
    vec velocity;
    velocity.x = s->momentum.x / s->density;
    velocity.y = s->momentum.y / s->density;
    velocity.z = s->momentum.z / s->density;
    float square = velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z;
    s->speed = sqrt(square);
    s->pressure = (GAMMA - 1.0f) * (s->energy - 0.5f * s->density * square);
    s->sound = sqrt(GAMMA * s->pressure / s->density);
    s->flux_x.x = velocity.x * s->momentum.x + s->pressure;
    s->flux_x.y = velocity.x * s->momentum.y;
    s->flux_x.z = velocity.x * s->momentum.z;
    s->flux_y.x = s->flux_x.y;
    s->flux_y.y = velocity.y * s->momentum.y + s->pressure;
    s->flux_y.z = velocity.y * s->momentum.z;
    s->flux_z.x = s->flux_x.z;
    s->flux_z.y = s->flux_y.z;
    s->flux_z.z = velocity.z * s->momentum.z + s->pressure;
    float work = s->energy + s->pressure;
    s->flux_energy.x = velocity.x * work;
    s->flux_energy.y = velocity.y * work;
    s->flux_energy.z = velocity.z * work;
}

void load(global const float *variables, int i, int cells, state *s) {
    s->density = variables[i + DENSITY * cells];
    s->momentum.x = variables[i + (MOMENTUM + 0) * cells];
    s->momentum.y = variables[i + (MOMENTUM + 1) * cells];
    s->momentum.z = variables[i + (MOMENTUM + 2) * cells];
    s->energy = variables[i + ENERGY * cells];
    derive(s);
}

void add(vec normal, const state *own, const state *other, float *density, float *energy, vec *momentum) {
    float fx = 0.5f * normal.x, fy = 0.5f * normal.y, fz = 0.5f * normal.z;
    *density += fx * (other->momentum.x + own->momentum.x) + fy * (other->momentum.y + own->momentum.y)
        + fz * (other->momentum.z + own->momentum.z);
    *energy += fx * (other->flux_energy.x + own->flux_energy.x) + fy * (other->flux_energy.y + own->flux_energy.y)
        + fz * (other->flux_energy.z + own->flux_energy.z);
    momentum->x += fx * (other->flux_x.x + own->flux_x.x) + fy * (other->flux_x.y + own->flux_x.y)
        + fz * (other->flux_x.z + own->flux_x.z);
    momentum->y += fx * (other->flux_y.x + own->flux_y.x) + fy * (other->flux_y.y + own->flux_y.y)
        + fz * (other->flux_y.z + own->flux_y.z);
    momentum->z += fx * (other->flux_z.x + own->flux_z.x) + fy * (other->flux_z.y + own->flux_z.y)
        + fz * (other->flux_z.z + own->flux_z.z);
}

kernel void cfd(global const int *neighbours, global const float *normals, global const float *variables,
                constant float *far, global float *fluxes, int cells) {
    const int i = get_global_id(0);
    if (i >= cells) return;
    state own, other;
    load(variables, i, cells, &own);
    float density = 0.0f, energy = 0.0f;
    vec momentum;
    momentum.x = momentum.y = momentum.z = 0.0f;
    for (int j = 0; j < NEIGHBOURS; j++) {
        int nb = neighbours[i + j * cells];
        vec normal;
        normal.x = normals[i + (j + 0 * NEIGHBOURS) * cells];
        normal.y = normals[i + (j + 1 * NEIGHBOURS) * cells];
        normal.z = normals[i + (j + 2 * NEIGHBOURS) * cells];
        float length = sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
        if (nb >= 0) {
            load(variables, nb, cells, &other);
            float factor = -length * 0.2f * 0.5f * (own.speed + other.speed + own.sound + other.sound);
            density += factor * (own.density - other.density);
            energy += factor * (own.energy - other.energy);
            momentum.x += factor * (own.momentum.x - other.momentum.x);
            momentum.y += factor * (own.momentum.y - other.momentum.y);
            momentum.z += factor * (own.momentum.z - other.momentum.z);
            add(normal, &own, &other, &density, &energy, &momentum);
        } else if (nb == -1) {
            momentum.x += normal.x * own.pressure;
            momentum.y += normal.y * own.pressure;
            momentum.z += normal.z * own.pressure;
        } else if (nb == -2) {
            other.density = far[DENSITY];
            other.momentum.x = far[MOMENTUM + 0];
            other.momentum.y = far[MOMENTUM + 1];
            other.momentum.z = far[MOMENTUM + 2];
            other.energy = far[ENERGY];
            derive(&other);
            add(normal, &own, &other, &density, &energy, &momentum);
        }
    }
    fluxes[i + DENSITY * cells] = density;
    fluxes[i + (MOMENTUM + 0) * cells] = momentum.x;
    fluxes[i + (MOMENTUM + 1) * cells] = momentum.y;
    fluxes[i + (MOMENTUM + 2) * cells] = momentum.z;
    fluxes[i + ENERGY * cells] = energy;
}
