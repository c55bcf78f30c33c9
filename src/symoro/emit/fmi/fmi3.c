/* -- the functions of FMI 3.0 */

#include <stdbool.h>
#include <stdint.h>

#ifdef FMI3_FUNCTION_PREFIX
#define FMI_PASTE_(a, b) a##b
#define FMI_JOIN_(a, b) FMI_PASTE_(a, b)
#define FMI_(name) FMI_JOIN_(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI_(name) name
#endif

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, const char *, const char *);
typedef void (*fmi3ClockUpdateCallback)(void *);
typedef void (*fmi3IntermediateUpdateCallback)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef void (*fmi3LockPreemptionCallback)();
typedef void (*fmi3UnlockPreemptionCallback)();

static void report_(Instance_ *m, int discard, const char *text)
{
    const fmi3LogMessageCallback logger = (fmi3LogMessageCallback)m->logger;

    if (logger == NULL) return;
    logger(m->environment, discard ? fmi3Discard : fmi3Error, discard ? "logStatusDiscard" : "logStatusError", text);
}

static fmi3Status status_(int result)
{
    return result > 0 ? fmi3OK : result < 0 ? fmi3Discard : fmi3Error;
}

EXPORT_ const char *FMI_(fmi3GetVersion)(void)
{
    return "3.0";
}

EXPORT_ fmi3Status FMI_(fmi3SetDebugLogging)(void *instance, bool loggingOn, size_t nCategories,
                                             const char *const categories[])
{
    (void)loggingOn, (void)nCategories, (void)categories;
    return status_(instance != NULL);
}

EXPORT_ void *FMI_(fmi3InstantiateModelExchange)(const char *instanceName, const char *instantiationToken,
                                                 const char *resourcePath, bool visible, bool loggingOn,
                                                 void *instanceEnvironment, fmi3LogMessageCallback logMessage)
{
    (void)resourcePath, (void)visible, (void)loggingOn;
    return created_(instanceName, instantiationToken, 0, instanceEnvironment, (Logger_)logMessage);
}

EXPORT_ void *FMI_(fmi3InstantiateCoSimulation)(const char *instanceName, const char *instantiationToken,
                                                const char *resourcePath, bool visible, bool loggingOn,
                                                bool eventModeUsed, bool earlyReturnAllowed,
                                                const uint32_t requiredIntermediateVariables[],
                                                size_t nRequiredIntermediateVariables, void *instanceEnvironment,
                                                fmi3LogMessageCallback logMessage,
                                                fmi3IntermediateUpdateCallback intermediateUpdate)
{
    (void)resourcePath, (void)visible, (void)loggingOn, (void)eventModeUsed, (void)earlyReturnAllowed;
    (void)requiredIntermediateVariables, (void)nRequiredIntermediateVariables, (void)intermediateUpdate;
    return created_(instanceName, instantiationToken, 1, instanceEnvironment, (Logger_)logMessage);
}

EXPORT_ void *FMI_(fmi3InstantiateScheduledExecution)(const char *instanceName, const char *instantiationToken,
                                                      const char *resourcePath, bool visible, bool loggingOn,
                                                      void *instanceEnvironment, fmi3LogMessageCallback logMessage,
                                                      fmi3ClockUpdateCallback clockUpdate,
                                                      fmi3LockPreemptionCallback lockPreemption,
                                                      fmi3UnlockPreemptionCallback unlockPreemption)
{
    (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible, (void)loggingOn;
    (void)instanceEnvironment, (void)logMessage, (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
    return NULL;
}

EXPORT_ void FMI_(fmi3FreeInstance)(void *instance)
{
    destroy_((Instance_ *)instance);
}

EXPORT_ fmi3Status FMI_(fmi3EnterInitializationMode)(void *instance, bool toleranceDefined, double tolerance,
                                                     double startTime, bool stopTimeDefined, double stopTime)
{
    Instance_ *m = (Instance_ *)instance;

    (void)toleranceDefined, (void)tolerance, (void)stopTimeDefined, (void)stopTime;
    return status_(set_time_(m, INSTANTIATED_, startTime, "fmi3EnterInitializationMode") &&
                   moved_(m, INSTANTIATED_, INITIALIZATION_, "fmi3EnterInitializationMode"));
}

EXPORT_ fmi3Status FMI_(fmi3ExitInitializationMode)(void *instance)
{
    return status_(initialised_((Instance_ *)instance, "fmi3ExitInitializationMode"));
}

EXPORT_ fmi3Status FMI_(fmi3EnterEventMode)(void *instance)
{
    return status_(moved_((Instance_ *)instance, EVENT_ | CONTINUOUS_, EVENT_, "fmi3EnterEventMode"));
}

EXPORT_ fmi3Status FMI_(fmi3Terminate)(void *instance)
{
    return status_(moved_((Instance_ *)instance, EVENT_ | CONTINUOUS_ | STEP_, TERMINATED_, "fmi3Terminate"));
}

EXPORT_ fmi3Status FMI_(fmi3Reset)(void *instance)
{
    return status_(reset_((Instance_ *)instance));
}

/* -- variables */

EXPORT_ fmi3Status FMI_(fmi3GetFloat64)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                        double values[], size_t nValues)
{
    if (nValues != nValueReferences) return fmi3Error;
    return status_(get_((Instance_ *)instance, valueReferences, nValueReferences, values, "fmi3GetFloat64"));
}

EXPORT_ fmi3Status FMI_(fmi3SetFloat64)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                        const double values[], size_t nValues)
{
    if (nValues != nValueReferences) return fmi3Error;
    return status_(set_((Instance_ *)instance, valueReferences, nValueReferences, values, "fmi3SetFloat64"));
}

#define OTHER_TYPE_(Type, type)                                                                                   \
    EXPORT_ fmi3Status FMI_(fmi3Get##Type)(void *instance, const uint32_t valueReferences[],                      \
                                           size_t nValueReferences, type values[], size_t nValues)                \
    {                                                                                                             \
        (void)valueReferences, (void)values, (void)nValues;                                                       \
        return status_(none_((Instance_ *)instance, nValueReferences));                                           \
    }                                                                                                             \
    EXPORT_ fmi3Status FMI_(fmi3Set##Type)(void *instance, const uint32_t valueReferences[],                      \
                                           size_t nValueReferences, type const values[], size_t nValues)          \
    {                                                                                                             \
        (void)valueReferences, (void)values, (void)nValues;                                                       \
        return status_(none_((Instance_ *)instance, nValueReferences));                                           \
    }

OTHER_TYPE_(Float32, float)
OTHER_TYPE_(Int8, int8_t)
OTHER_TYPE_(UInt8, uint8_t)
OTHER_TYPE_(Int16, int16_t)
OTHER_TYPE_(UInt16, uint16_t)
OTHER_TYPE_(Int32, int32_t)
OTHER_TYPE_(UInt32, uint32_t)
OTHER_TYPE_(Int64, int64_t)
OTHER_TYPE_(UInt64, uint64_t)
OTHER_TYPE_(Boolean, bool)
OTHER_TYPE_(String, const char *)

EXPORT_ fmi3Status FMI_(fmi3GetBinary)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                       size_t valueSizes[], const uint8_t *values[], size_t nValues)
{
    (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3SetBinary)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                       const size_t valueSizes[], const uint8_t *const values[], size_t nValues)
{
    (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3GetClock)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                      bool values[])
{
    (void)valueReferences, (void)values;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3SetClock)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                      const bool values[])
{
    (void)valueReferences, (void)values;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

/* The dependencies of modelDescription.xml do not change, since there are no structural parameters. */
EXPORT_ fmi3Status FMI_(fmi3GetNumberOfVariableDependencies)(void *instance, uint32_t valueReference,
                                                             size_t *nDependencies)
{
    (void)instance, (void)valueReference, (void)nDependencies;
    return fmi3Error;
}

EXPORT_ fmi3Status FMI_(fmi3GetVariableDependencies)(void *instance, uint32_t dependent,
                                                     size_t elementIndicesOfDependent[], uint32_t independents[],
                                                     size_t elementIndicesOfIndependents[],
                                                     fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    (void)instance, (void)dependent, (void)elementIndicesOfDependent, (void)independents;
    (void)elementIndicesOfIndependents, (void)dependencyKinds, (void)nDependencies;
    return fmi3Error;
}

EXPORT_ fmi3Status FMI_(fmi3GetFMUState)(void *instance, void **FMUState)
{
    Instance_ *m = (Instance_ *)instance;

    return status_(allowed_(m, NOT_FAILED_, "fmi3GetFMUState") && saved_(&m->data, FMUState));
}

EXPORT_ fmi3Status FMI_(fmi3SetFMUState)(void *instance, void *FMUState)
{
    return status_(restored_((Instance_ *)instance, FMUState, "fmi3SetFMUState"));
}

EXPORT_ fmi3Status FMI_(fmi3FreeFMUState)(void *instance, void **FMUState)
{
    (void)instance;
    return status_(freed_(FMUState));
}

EXPORT_ fmi3Status FMI_(fmi3SerializedFMUStateSize)(void *instance, void *FMUState, size_t *size)
{
    (void)instance, (void)FMUState;
    *size = sizeof(Data_);
    return fmi3OK;
}

EXPORT_ fmi3Status FMI_(fmi3SerializeFMUState)(void *instance, void *FMUState, uint8_t serializedState[], size_t size)
{
    (void)instance;
    return status_(serialised_(FMUState, serializedState, size));
}

EXPORT_ fmi3Status FMI_(fmi3DeserializeFMUState)(void *instance, const uint8_t serializedState[], size_t size,
                                                 void **FMUState)
{
    (void)instance;
    return status_(size == sizeof(Data_) && saved_(serializedState, FMUState));
}

EXPORT_ fmi3Status FMI_(fmi3GetDirectionalDerivative)(void *instance, const uint32_t unknowns[], size_t nUnknowns,
                                                      const uint32_t knowns[], size_t nKnowns, const double seed[],
                                                      size_t nSeed, double sensitivity[], size_t nSensitivity)
{
    if (nSeed != nKnowns || nSensitivity != nUnknowns) return fmi3Error;
    return status_(direction_((Instance_ *)instance, unknowns, nUnknowns, knowns, nKnowns, seed, sensitivity,
                              "fmi3GetDirectionalDerivative"));
}

EXPORT_ fmi3Status FMI_(fmi3GetAdjointDerivative)(void *instance, const uint32_t unknowns[], size_t nUnknowns,
                                                  const uint32_t knowns[], size_t nKnowns, const double seed[],
                                                  size_t nSeed, double sensitivity[], size_t nSensitivity)
{
    (void)instance, (void)unknowns, (void)nUnknowns, (void)knowns, (void)nKnowns, (void)seed, (void)nSeed;
    (void)sensitivity, (void)nSensitivity;
    return fmi3Error;
}

/* -- structural parameters and clocks: there are none */

EXPORT_ fmi3Status FMI_(fmi3EnterConfigurationMode)(void *instance)
{
    (void)instance;
    return fmi3Error;
}

EXPORT_ fmi3Status FMI_(fmi3ExitConfigurationMode)(void *instance)
{
    (void)instance;
    return fmi3Error;
}

EXPORT_ fmi3Status FMI_(fmi3GetIntervalDecimal)(void *instance, const uint32_t valueReferences[],
                                                size_t nValueReferences, double intervals[],
                                                fmi3IntervalQualifier qualifiers[])
{
    (void)valueReferences, (void)intervals, (void)qualifiers;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3GetIntervalFraction)(void *instance, const uint32_t valueReferences[],
                                                 size_t nValueReferences, uint64_t counters[], uint64_t resolutions[],
                                                 fmi3IntervalQualifier qualifiers[])
{
    (void)valueReferences, (void)counters, (void)resolutions, (void)qualifiers;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3GetShiftDecimal)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                             double shifts[])
{
    (void)valueReferences, (void)shifts;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3GetShiftFraction)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                              uint64_t counters[], uint64_t resolutions[])
{
    (void)valueReferences, (void)counters, (void)resolutions;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3SetIntervalDecimal)(void *instance, const uint32_t valueReferences[],
                                                size_t nValueReferences, const double intervals[])
{
    (void)valueReferences, (void)intervals;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3SetIntervalFraction)(void *instance, const uint32_t valueReferences[],
                                                 size_t nValueReferences, const uint64_t counters[],
                                                 const uint64_t resolutions[])
{
    (void)valueReferences, (void)counters, (void)resolutions;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3SetShiftDecimal)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                             const double shifts[])
{
    (void)valueReferences, (void)shifts;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3SetShiftFraction)(void *instance, const uint32_t valueReferences[], size_t nValueReferences,
                                              const uint64_t counters[], const uint64_t resolutions[])
{
    (void)valueReferences, (void)counters, (void)resolutions;
    return status_(none_((Instance_ *)instance, nValueReferences));
}

EXPORT_ fmi3Status FMI_(fmi3EvaluateDiscreteStates)(void *instance)
{
    return status_(allowed_((Instance_ *)instance, INITIALIZATION_ | EVENT_, "fmi3EvaluateDiscreteStates"));
}

EXPORT_ fmi3Status FMI_(fmi3UpdateDiscreteStates)(void *instance, bool *discreteStatesNeedUpdate,
                                                  bool *terminateSimulation, bool *nominalsOfContinuousStatesChanged,
                                                  bool *valuesOfContinuousStatesChanged, bool *nextEventTimeDefined,
                                                  double *nextEventTime)
{
    *discreteStatesNeedUpdate = false;
    *terminateSimulation = false;
    *nominalsOfContinuousStatesChanged = false;
    *valuesOfContinuousStatesChanged = false;
    *nextEventTimeDefined = false;
    *nextEventTime = 0;
    return status_(allowed_((Instance_ *)instance, EVENT_, "fmi3UpdateDiscreteStates"));
}

/* -- model exchange */

EXPORT_ fmi3Status FMI_(fmi3EnterContinuousTimeMode)(void *instance)
{
    return status_(moved_((Instance_ *)instance, EVENT_, CONTINUOUS_, "fmi3EnterContinuousTimeMode"));
}

EXPORT_ fmi3Status FMI_(fmi3CompletedIntegratorStep)(void *instance, bool noSetFMUStatePriorToCurrentPoint,
                                                     bool *enterEventMode, bool *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    *enterEventMode = false;
    *terminateSimulation = false;
    return status_(completed_((Instance_ *)instance, "fmi3CompletedIntegratorStep"));
}

EXPORT_ fmi3Status FMI_(fmi3SetTime)(void *instance, double time)
{
    return status_(set_time_((Instance_ *)instance, EVENT_ | CONTINUOUS_, time, "fmi3SetTime"));
}

EXPORT_ fmi3Status FMI_(fmi3SetContinuousStates)(void *instance, const double continuousStates[],
                                                 size_t nContinuousStates)
{
    return status_(
        set_states_((Instance_ *)instance, continuousStates, nContinuousStates, "fmi3SetContinuousStates"));
}

EXPORT_ fmi3Status FMI_(fmi3GetContinuousStateDerivatives)(void *instance, double derivatives[],
                                                           size_t nContinuousStates)
{
    return status_(get_derivatives_((Instance_ *)instance, derivatives, nContinuousStates,
                                    "fmi3GetContinuousStateDerivatives"));
}

EXPORT_ fmi3Status FMI_(fmi3GetEventIndicators)(void *instance, double eventIndicators[], size_t nEventIndicators)
{
    (void)eventIndicators;
    return status_(instance != NULL && nEventIndicators == 0);
}

EXPORT_ fmi3Status FMI_(fmi3GetContinuousStates)(void *instance, double continuousStates[], size_t nContinuousStates)
{
    return status_(
        get_states_((Instance_ *)instance, continuousStates, nContinuousStates, "fmi3GetContinuousStates"));
}

EXPORT_ fmi3Status FMI_(fmi3GetNominalsOfContinuousStates)(void *instance, double nominals[], size_t nContinuousStates)
{
    return status_(
        get_nominals_((Instance_ *)instance, nominals, nContinuousStates, "fmi3GetNominalsOfContinuousStates"));
}

EXPORT_ fmi3Status FMI_(fmi3GetNumberOfEventIndicators)(void *instance, size_t *nEventIndicators)
{
    *nEventIndicators = 0;
    return status_(instance != NULL);
}

EXPORT_ fmi3Status FMI_(fmi3GetNumberOfContinuousStates)(void *instance, size_t *nContinuousStates)
{
    *nContinuousStates = N_STATES_;
    return status_(instance != NULL);
}

/* -- co-simulation */

EXPORT_ fmi3Status FMI_(fmi3EnterStepMode)(void *instance)
{
    (void)instance;
    return fmi3Error; /* there is no event mode in co-simulation */
}

EXPORT_ fmi3Status FMI_(fmi3GetOutputDerivatives)(void *instance, const uint32_t valueReferences[],
                                                  size_t nValueReferences, const int32_t orders[], double values[],
                                                  size_t nValues)
{
    (void)instance, (void)valueReferences, (void)nValueReferences, (void)orders, (void)values, (void)nValues;
    return fmi3Error;
}

EXPORT_ fmi3Status FMI_(fmi3DoStep)(void *instance, double currentCommunicationPoint, double communicationStepSize,
                                    bool noSetFMUStatePriorToCurrentPoint, bool *eventHandlingNeeded,
                                    bool *terminateSimulation, bool *earlyReturn, double *lastSuccessfulTime)
{
    Instance_ *m = (Instance_ *)instance;
    const int result = do_step_(m, currentCommunicationPoint, communicationStepSize, "fmi3DoStep");

    (void)noSetFMUStatePriorToCurrentPoint;
    *eventHandlingNeeded = false;
    *terminateSimulation = false;
    *earlyReturn = false;
    if (m != NULL) *lastSuccessfulTime = m->data.v[0];
    return status_(result);
}

EXPORT_ fmi3Status FMI_(fmi3ActivateModelPartition)(void *instance, uint32_t clockReference, double activationTime)
{
    (void)instance, (void)clockReference, (void)activationTime;
    return fmi3Error;
}
