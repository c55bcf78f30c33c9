/* MuJoCo's mj_inverse behind the timer's signature; q, v, a in its own order. */
#include <mujoco/mujoco.h>
#include <string.h>

static mjModel *model;
static mjData *data;

int prepare(const char *file)
{
    char error[1000];
    model = mj_loadXML(file, 0, error, sizeof error);
    if (!model) return 1;
    data = mj_makeData(model);
    return 0;
}

void inverse(const double *q, const double *v, const double *a, double *y)
{
    memcpy(data->qpos, q, sizeof(double) * (size_t)model->nq);
    memcpy(data->qvel, v, sizeof(double) * (size_t)model->nv);
    memcpy(data->qacc, a, sizeof(double) * (size_t)model->nv);
    mj_inverse(model, data);
    memcpy(y, data->qfrc_inverse, sizeof(double) * (size_t)model->nv);
}
