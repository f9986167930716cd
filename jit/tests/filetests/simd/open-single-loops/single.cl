// width: 8
// local: 8 1 1
// The group is one vector.
kernel void k(global int *x) {
    x[get_global_id(0)] += 3;
}
//= @@ -47,3 +47,3 @@
//=    %54: i1 = icmp.ult %52, %35 !106..130
//= -  br %54, b9(%52), b11
//= +  br %54, b13, b11
//=  b11:
//= @@ -68,2 +68,4 @@
//=    ret
//= +b13:
//= +  unreachable
//=  }
