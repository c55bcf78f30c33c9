/* Replacement of the message of the same name. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>


namespace rcl_interfaces::msg {
struct SetParametersResult {
    bool successful = false;
    std::string reason;
};
} // namespace rcl_interfaces::msg
