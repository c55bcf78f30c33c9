/* Replacement of moveit::core::RobotModel: one chain of links whose joints move about or along an axis. */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Geometry>

namespace moveit::core {

struct VariableBounds {
    double min_position_ = 0;
    double max_position_ = 0;
    bool position_bounded_ = false;
};

class JointModel {
public:
    enum JointType { UNKNOWN, REVOLUTE, PRISMATIC, PLANAR, FLOATING, FIXED };
    const std::string& getName() const { return name; }
    JointType getType() const { return type; }
    const std::vector<VariableBounds>& getVariableBounds() const { return bounds; }

    std::string name;
    JointType type;
    std::vector<VariableBounds> bounds;
    std::string child;
    Eigen::Isometry3d origin;
    Eigen::Vector3d axis;
};

class JointModelGroup {
public:
    const std::vector<const JointModel*>& getActiveJointModels() const { return active; }
    std::vector<const JointModel*> active;
};

class RobotModel {
public:
    const std::string& getRootLinkName() const { return root; }
    const JointModelGroup* getJointModelGroup(const std::string& name) const
    {
        return name == group_name ? &group : nullptr;
    }

    std::string root;
    std::string group_name;
    std::vector<JointModel> joints; // from the root to the tip
    JointModelGroup group;
};
using RobotModelConstPtr = std::shared_ptr<const RobotModel>;

} // namespace moveit::core
