/* Replacement of moveit::core::RobotState: positions of the joints, and poses of the links in the model frame. */
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include <moveit/robot_model/robot_model.h>

namespace moveit::core {

class RobotState {
public:
    explicit RobotState(const RobotModelConstPtr& model) : model_(model) {}
    void setToDefaultValues() { positions_.clear(); }
    void setVariablePosition(const std::string& name, double value) { positions_[name] = value; }
    void update() {}

    const Eigen::Isometry3d& getGlobalLinkTransform(const std::string& link)
    {
        Eigen::Isometry3d pose = Eigen::Isometry3d(Eigen::Translation3d(0.5, -0.25, 1.0)); // the model frame is elsewhere
        if (link == model_->root) {
            return poses_[link] = pose;
        }
        for (const JointModel& joint : model_->joints) {
            pose = pose * joint.origin;
            if (joint.type == JointModel::REVOLUTE) {
                pose = pose * Eigen::AngleAxisd(positions_[joint.name], joint.axis);
            } else if (joint.type == JointModel::PRISMATIC) {
                pose = pose * Eigen::Translation3d(positions_[joint.name] * joint.axis);
            }
            if (joint.child == link) {
                return poses_[link] = pose;
            }
        }
        throw std::invalid_argument("there is no link " + link);
    }

private:
    RobotModelConstPtr model_;
    std::map<std::string, double> positions_;
    std::map<std::string, Eigen::Isometry3d> poses_;
};

} // namespace moveit::core
