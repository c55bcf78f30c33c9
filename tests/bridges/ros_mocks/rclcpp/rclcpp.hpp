/* Replacement of the parts of rclcpp that generated nodes use: parameters, topics inside one process, log messages. */
#pragma once

#include <any>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <rcl_interfaces/msg/set_parameters_result.hpp>

namespace rclcpp {

struct Logger {
    std::string name;
};
inline Logger get_logger(const std::string& name) { return {name}; }

/* Texts of all messages that were logged. */
inline std::vector<std::string>& logged()
{
    static std::vector<std::string> texts;
    return texts;
}
template <class... Arguments>
void log(const Logger&, const char* format, Arguments... arguments)
{
    char text[1000];
    if constexpr (sizeof...(arguments) == 0) {
        std::snprintf(text, sizeof text, "%s", format);
    } else {
        std::snprintf(text, sizeof text, format, arguments...);
    }
    logged().push_back(text);
}
#define RCLCPP_ERROR(logger, ...) rclcpp::log(logger, __VA_ARGS__)
#define RCLCPP_ERROR_THROTTLE(logger, clock, duration, ...) ((void)(clock), (void)(duration), rclcpp::log(logger, __VA_ARGS__))
#define RCLCPP_WARN_THROTTLE RCLCPP_ERROR_THROTTLE

struct Clock {
    using SharedPtr = std::shared_ptr<Clock>;
};
struct QoS {
};
struct SystemDefaultsQoS : QoS {
};

class Parameter {
public:
    template <class T>
    Parameter(std::string name, T value) : name_(std::move(name)), value_(std::move(value))
    {
    }
    const std::string& get_name() const { return name_; }
    double as_double() const { return std::any_cast<double>(value_); }
    const std::any& value() const { return value_; }

private:
    std::string name_;
    std::any value_;
};

class NodeOptions {
public:
    NodeOptions& parameter_overrides(std::vector<Parameter> given)
    {
        overrides = std::move(given);
        return *this;
    }
    std::vector<Parameter> overrides;
};

/* Subscriptions by topic; a message is delivered at once. */
template <class Message>
std::map<std::string, std::vector<std::function<void(std::shared_ptr<Message>)>>>& topics()
{
    static std::map<std::string, std::vector<std::function<void(std::shared_ptr<Message>)>>> table;
    return table;
}
template <class Message>
void deliver(const std::string& topic, const Message& message)
{
    for (const auto& receive : topics<Message>()[topic]) {
        receive(std::make_shared<Message>(message));
    }
}

template <class Message>
struct Publisher {
    using SharedPtr = std::shared_ptr<Publisher>;
    std::string topic;
    void publish(const Message& message) { deliver(topic, message); }
};
template <class Message>
struct Subscription {
    using SharedPtr = std::shared_ptr<Subscription>;
};

namespace node_interfaces {
struct OnSetParametersCallbackHandle {
    using SharedPtr = std::shared_ptr<OnSetParametersCallbackHandle>;
};
} // namespace node_interfaces

class Node {
public:
    using SharedPtr = std::shared_ptr<Node>;
    using OnSet = std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter>&)>;

    explicit Node(std::string name, const NodeOptions& options = NodeOptions()) : name_(std::move(name)), options_(options) {}
    virtual ~Node() = default;

    template <class T>
    T declare_parameter(const std::string& name, const T& initial)
    {
        if (!declared_.insert({name, initial}).second) {
            throw std::invalid_argument(name + " is declared twice");
        }
        for (const Parameter& given : options_.overrides) {
            if (given.get_name() == name) {
                declared_[name] = given.value();
            }
        }
        return std::any_cast<T>(declared_[name]);
    }
    rcl_interfaces::msg::SetParametersResult set_parameters(const std::vector<Parameter>& changes)
    {
        for (const Parameter& change : changes) {
            if (declared_.count(change.get_name()) == 0 || declared_[change.get_name()].type() != change.value().type()) {
                throw std::invalid_argument(change.get_name() + " is not declared with this type");
            }
        }
        return on_set_(changes);
    }
    node_interfaces::OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(OnSet callback)
    {
        on_set_ = std::move(callback);
        return std::make_shared<node_interfaces::OnSetParametersCallbackHandle>();
    }
    template <class Message>
    typename Publisher<Message>::SharedPtr create_publisher(const std::string& topic, const QoS&)
    {
        return std::make_shared<Publisher<Message>>(Publisher<Message>{resolved(topic)});
    }
    template <class Message, class Callback>
    typename Subscription<Message>::SharedPtr create_subscription(const std::string& topic, const QoS&, Callback callback)
    {
        topics<Message>()[resolved(topic)].push_back(callback);
        return std::make_shared<Subscription<Message>>();
    }
    Logger get_logger() const { return {name_}; }
    Clock::SharedPtr get_clock() { return std::make_shared<Clock>(); }

private:
    std::string resolved(const std::string& topic) const
    {
        return topic.rfind("~/", 0) == 0 ? "/" + name_ + topic.substr(1) : topic[0] == '/' ? topic : "/" + topic;
    }

    std::string name_;
    NodeOptions options_;
    std::map<std::string, std::any> declared_;
    OnSet on_set_;
};

inline void init(int, char**) {}
inline void spin(const Node::SharedPtr&) {}
inline void shutdown() {}

} // namespace rclcpp
