/* Replacement of the message of the same name. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>


namespace sensor_msgs::msg {
struct JointState {
    using SharedPtr = std::shared_ptr<JointState>;
    std::vector<std::string> name;
    std::vector<double> position;
    std::vector<double> velocity;
    std::vector<double> effort;
};
} // namespace sensor_msgs::msg
