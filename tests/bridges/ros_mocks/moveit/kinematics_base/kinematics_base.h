/* Replacement of kinematics::KinematicsBase with the virtual functions of MoveIt 2. */
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <geometry_msgs/msg/pose.hpp>
#include <moveit/robot_model/robot_model.h>
#include <moveit_msgs/msg/move_it_error_codes.hpp>
#include <rclcpp/rclcpp.hpp>

namespace kinematics {

namespace DiscretizationMethods {
enum DiscretizationMethod { NO_DISCRETIZATION = 1, ALL_DISCRETIZED };
}
namespace KinematicErrors {
enum KinematicError {
    OK = 1,
    UNSUPORTED_DISCRETIZATION_REQUESTED, // spelt as in MoveIt
    DISCRETIZATION_NOT_INITIALIZED,
    MULTIPLE_TIPS_NOT_SUPPORTED,
    EMPTY_TIP_POSES,
    IK_SEED_OUTSIDE_LIMITS,
    SOLVER_NOT_ACTIVE,
    NO_SOLUTION
};
}
using KinematicError = KinematicErrors::KinematicError;

struct KinematicsQueryOptions {
    bool lock_redundant_joints = false;
    bool return_approximate_solution = false;
    DiscretizationMethods::DiscretizationMethod discretization_method = DiscretizationMethods::NO_DISCRETIZATION;
};
struct KinematicsResult {
    KinematicError kinematic_error;
    double solution_percentage;
};

class KinematicsBase {
public:
    using Pose = geometry_msgs::msg::Pose;
    using Codes = moveit_msgs::msg::MoveItErrorCodes;
    using Options = KinematicsQueryOptions;
    using Joints = std::vector<double>;
    using IKCallbackFn = std::function<void(const Pose&, const Joints&, Codes&)>;

    virtual ~KinematicsBase() = default;
    virtual bool getPositionIK(const Pose&, const Joints&, Joints&, Codes&, const Options& = Options()) const = 0;
    virtual bool getPositionIK(const std::vector<Pose>&, const Joints&, std::vector<Joints>&, KinematicsResult&,
                               const Options&) const = 0;
    virtual bool searchPositionIK(const Pose&, const Joints&, double, Joints&, Codes&, const Options& = Options()) const = 0;
    virtual bool searchPositionIK(const Pose&, const Joints&, double, const Joints&, Joints&, Codes&,
                                  const Options& = Options()) const = 0;
    virtual bool searchPositionIK(const Pose&, const Joints&, double, Joints&, const IKCallbackFn&, Codes&,
                                  const Options& = Options()) const = 0;
    virtual bool searchPositionIK(const Pose&, const Joints&, double, const Joints&, Joints&, const IKCallbackFn&, Codes&,
                                  const Options& = Options()) const = 0;
    virtual bool getPositionFK(const std::vector<std::string>&, const Joints&, std::vector<Pose>&) const = 0;
    virtual bool initialize(const rclcpp::Node::SharedPtr&, const moveit::core::RobotModel&, const std::string&,
                            const std::string&, const std::vector<std::string>&, double) = 0;
    virtual const std::vector<std::string>& getJointNames() const = 0;
    virtual const std::vector<std::string>& getLinkNames() const = 0;

protected:
    void storeValues(const moveit::core::RobotModel& robot_model, const std::string& group_name,
                     const std::string& base_frame, const std::vector<std::string>& tip_frames, double)
    {
        robot_model_ = moveit::core::RobotModelConstPtr(&robot_model, [](const moveit::core::RobotModel*) {});
        group_name_ = group_name;
        base_frame_ = base_frame;
        tip_frames_ = tip_frames;
    }

    rclcpp::Node::SharedPtr node_;
    moveit::core::RobotModelConstPtr robot_model_;
    std::string group_name_;
    std::string base_frame_;
    std::vector<std::string> tip_frames_;
};

} // namespace kinematics
