// A robot as rows of numbers, one a joint (see peers/robots.py), made into Pinocchio's model: everything from its
// headers, so that nothing compiled for another processor takes part.
#pragma once

#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

constexpr double FREE = 6; // in the place of S: the joint of a floating base
constexpr int ROW = 29; // parent, S (linear, angular), R by rows, p, mass, centre of mass, inertia XX XY XZ YY YZ ZZ

inline pinocchio::JointModel joint_along(const double *s)
{
    using namespace pinocchio;
    if (s[0] == FREE) return JointModelFreeFlyer();
    if (s[0] == 1) return JointModelPX();
    if (s[1] == 1) return JointModelPY();
    if (s[2] == 1) return JointModelPZ();
    if (s[3] == 1) return JointModelRX();
    if (s[4] == 1) return JointModelRY();
    if (s[5] == 1) return JointModelRZ();
    const Eigen::Vector3d linear(s[0], s[1], s[2]), angular(s[3], s[4], s[5]);
    if (linear.norm() > 0) return JointModelPrismaticUnaligned(linear);
    return JointModelRevoluteUnaligned(angular);
}

inline pinocchio::Model model_of(int joints, const double *rows)
{
    using namespace pinocchio;
    Model model;
    for (int j = 0; j < joints; ++j) {
        const double *x = rows + j * ROW, *r = x + 7, *p = x + 16, *c = x + 20, *i = x + 23;
        Eigen::Matrix3d rotation, inertia;
        rotation << r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8];
        inertia << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
        const SE3 place(rotation, Eigen::Vector3d(p[0], p[1], p[2]));
        const auto id = model.addJoint(JointIndex(x[0]), joint_along(x + 1), place, std::to_string(j));
        model.appendBodyToJoint(id, Inertia(x[19], Eigen::Vector3d(c[0], c[1], c[2]), inertia), SE3::Identity());
    }
    return model;
}
