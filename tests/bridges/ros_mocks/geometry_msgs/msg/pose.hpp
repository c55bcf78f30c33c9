/* Replacement of the message of the same name. */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>


namespace geometry_msgs::msg {
struct Point {
    double x = 0, y = 0, z = 0;
};
struct Quaternion {
    double x = 0, y = 0, z = 0, w = 1;
};
struct Pose {
    Point position;
    Quaternion orientation;
};
} // namespace geometry_msgs::msg
