/* Replacement of pluginlib: the macro checks that the class derives from its base class and can be created. */
#pragma once

#include <memory>
#include <type_traits>

#define PLUGINLIB_EXPORT_CLASS(Derived, Base)                                       \
    static_assert(std::is_base_of<Base, Derived>::value, "not a plugin of " #Base); \
    std::unique_ptr<Base> create_plugin()                                           \
    {                                                                               \
        return std::make_unique<Derived>();                                         \
    }
