/* EAIK behind the signature of all solvers: T by rows -> how many solutions, and their joints one after the other. */
#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <memory>

#include "EAIK.h"

namespace {
std::unique_ptr<EAIK::Robot> robot;

using Rows = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>;
using Columns = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;
}

extern "C" {

/* axes and offsets: three numbers each; seconds that the constructor takes, or -1 for an arm that EAIK cannot solve */
double setup(int joints, const double *axes, const double *offsets, const double *rotation)
{
    const Eigen::MatrixXd H = Columns(axes, 3, joints), P = Columns(offsets, 3, joints + 1);
    const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rotation);
    const auto start = std::chrono::steady_clock::now();
    robot = std::make_unique<EAIK::Robot>(H, P, R);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return robot->has_known_decomposition() ? taken.count() : -1;
}

void family(char *text, int room)
{
    const std::string family = robot->get_kinematic_family();
    text[family.copy(text, static_cast<std::size_t>(room) - 1)] = 0;
}

/* timed: all that EAIK does for a pose, and no copying */
int timed(const double *T, double *)
{
    return static_cast<int>(robot->calculate_IK(Rows(T)).num_solutions());
}

/* least-squares solutions do not reach the pose, and are left out */
int solve(const double *T, double *q)
{
    const IKS::IK_Solution solution = robot->calculate_IK(Rows(T));
    int count = 0;
    for (unsigned i = 0; i < solution.num_solutions(); ++i) {
        if (solution.is_LS_vec[i]) continue;
        q = std::copy(solution.Q[i].begin(), solution.Q[i].end(), q);
        ++count;
    }
    return count;
}
}
