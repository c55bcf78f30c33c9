/* Replacement of the message of the same name. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>


namespace moveit_msgs::msg {
struct MoveItErrorCodes {
    static constexpr std::int32_t SUCCESS = 1;
    static constexpr std::int32_t FAILURE = 99999;
    static constexpr std::int32_t NO_IK_SOLUTION = -31;
    std::int32_t val = 0;
};
} // namespace moveit_msgs::msg
