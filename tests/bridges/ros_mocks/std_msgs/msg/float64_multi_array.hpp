/* Replacement of the message of the same name. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <std_msgs/msg/multi_array_dimension.hpp>

namespace std_msgs::msg {
struct MultiArrayLayout {
    std::vector<MultiArrayDimension> dim;
    std::uint32_t data_offset = 0;
};
struct Float64MultiArray {
    using SharedPtr = std::shared_ptr<Float64MultiArray>;
    MultiArrayLayout layout;
    std::vector<double> data;
};
} // namespace std_msgs::msg
