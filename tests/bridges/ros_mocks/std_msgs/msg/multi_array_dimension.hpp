/* Replacement of the message of the same name. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>


namespace std_msgs::msg {
struct MultiArrayDimension {
    std::string label;
    std::uint32_t size = 0;
    std::uint32_t stride = 0;
};
} // namespace std_msgs::msg
