/* -- the functions of FMI 2.0 */

#ifdef FMI2_FUNCTION_PREFIX
#define FMI_PASTE_(a, b) a##b
#define FMI_JOIN_(a, b) FMI_PASTE_(a, b)
#define FMI_(name) FMI_JOIN_(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI_(name) name
#endif

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(void *, const char *, fmi2Status, const char *, const char *, ...);
typedef struct {
    fmi2CallbackLogger logger;
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    int valuesOfContinuousStatesChanged, nextEventTimeDefined;
    double nextEventTime;
} fmi2EventInfo;

static void report_(Instance_ *m, int discard, const char *text)
{
    const fmi2CallbackLogger logger = (fmi2CallbackLogger)m->logger;

    if (logger == NULL) return; /* the texts contain no format characters */
    logger(m->environment, m->name, discard ? fmi2Discard : fmi2Error,
           discard ? "logStatusDiscard" : "logStatusError", text);
}

static fmi2Status status_(int result)
{
    return result > 0 ? fmi2OK : result < 0 ? fmi2Discard : fmi2Error;
}

EXPORT_ const char *FMI_(fmi2GetTypesPlatform)(void)
{
    return "default";
}

EXPORT_ const char *FMI_(fmi2GetVersion)(void)
{
    return "2.0";
}

EXPORT_ fmi2Status FMI_(fmi2SetDebugLogging)(void *c, int loggingOn, size_t n, const char *const categories[])
{
    (void)loggingOn, (void)n, (void)categories;
    return status_(c != NULL);
}

EXPORT_ void *FMI_(fmi2Instantiate)(const char *instanceName, fmi2Type fmuType, const char *guid,
                                    const char *resourceLocation, const fmi2CallbackFunctions *functions, int visible,
                                    int loggingOn)
{
    (void)resourceLocation, (void)visible, (void)loggingOn;
    if (functions == NULL) return NULL;
    return created_(instanceName, guid, fmuType == fmi2CoSimulation, functions->componentEnvironment,
                    (Logger_)functions->logger);
}

EXPORT_ void FMI_(fmi2FreeInstance)(void *c)
{
    destroy_((Instance_ *)c);
}

EXPORT_ fmi2Status FMI_(fmi2SetupExperiment)(void *c, int toleranceDefined, double tolerance, double startTime,
                                             int stopTimeDefined, double stopTime)
{
    (void)toleranceDefined, (void)tolerance, (void)stopTimeDefined, (void)stopTime;
    return status_(set_time_((Instance_ *)c, INSTANTIATED_, startTime, "fmi2SetupExperiment"));
}

EXPORT_ fmi2Status FMI_(fmi2EnterInitializationMode)(void *c)
{
    return status_(moved_((Instance_ *)c, INSTANTIATED_, INITIALIZATION_, "fmi2EnterInitializationMode"));
}

EXPORT_ fmi2Status FMI_(fmi2ExitInitializationMode)(void *c)
{
    return status_(initialised_((Instance_ *)c, "fmi2ExitInitializationMode"));
}

EXPORT_ fmi2Status FMI_(fmi2Terminate)(void *c)
{
    return status_(moved_((Instance_ *)c, EVENT_ | CONTINUOUS_ | STEP_, TERMINATED_, "fmi2Terminate"));
}

EXPORT_ fmi2Status FMI_(fmi2Reset)(void *c)
{
    return status_(reset_((Instance_ *)c));
}

/* -- variables */

EXPORT_ fmi2Status FMI_(fmi2GetReal)(void *c, const unsigned int vr[], size_t nvr, double value[])
{
    return status_(get_((Instance_ *)c, vr, nvr, value, "fmi2GetReal"));
}

EXPORT_ fmi2Status FMI_(fmi2SetReal)(void *c, const unsigned int vr[], size_t nvr, const double value[])
{
    return status_(set_((Instance_ *)c, vr, nvr, value, "fmi2SetReal"));
}

#define OTHER_TYPE_(Type, type)                                                                              \
    EXPORT_ fmi2Status FMI_(fmi2Get##Type)(void *c, const unsigned int vr[], size_t nvr, type value[])       \
    {                                                                                                        \
        (void)vr, (void)value;                                                                               \
        return status_(none_((Instance_ *)c, nvr));                                                          \
    }                                                                                                        \
    EXPORT_ fmi2Status FMI_(fmi2Set##Type)(void *c, const unsigned int vr[], size_t nvr, type const value[]) \
    {                                                                                                        \
        (void)vr, (void)value;                                                                               \
        return status_(none_((Instance_ *)c, nvr));                                                          \
    }

OTHER_TYPE_(Integer, int)
OTHER_TYPE_(Boolean, int)
OTHER_TYPE_(String, const char *)

EXPORT_ fmi2Status FMI_(fmi2GetFMUstate)(void *c, void **FMUstate)
{
    Instance_ *m = (Instance_ *)c;

    return status_(allowed_(m, NOT_FAILED_, "fmi2GetFMUstate") && saved_(&m->data, FMUstate));
}

EXPORT_ fmi2Status FMI_(fmi2SetFMUstate)(void *c, void *FMUstate)
{
    return status_(restored_((Instance_ *)c, FMUstate, "fmi2SetFMUstate"));
}

EXPORT_ fmi2Status FMI_(fmi2FreeFMUstate)(void *c, void **FMUstate)
{
    (void)c;
    return status_(freed_(FMUstate));
}

EXPORT_ fmi2Status FMI_(fmi2SerializedFMUstateSize)(void *c, void *FMUstate, size_t *size)
{
    (void)c, (void)FMUstate;
    *size = sizeof(Data_);
    return fmi2OK;
}

EXPORT_ fmi2Status FMI_(fmi2SerializeFMUstate)(void *c, void *FMUstate, char serializedState[], size_t size)
{
    (void)c;
    return status_(serialised_(FMUstate, serializedState, size));
}

EXPORT_ fmi2Status FMI_(fmi2DeSerializeFMUstate)(void *c, const char serializedState[], size_t size, void **FMUstate)
{
    (void)c;
    return status_(size == sizeof(Data_) && saved_(serializedState, FMUstate));
}

EXPORT_ fmi2Status FMI_(fmi2GetDirectionalDerivative)(void *c, const unsigned int vUnknown_ref[], size_t nUnknown,
                                                      const unsigned int vKnown_ref[], size_t nKnown,
                                                      const double dvKnown[], double dvUnknown[])
{
    return status_(direction_((Instance_ *)c, vUnknown_ref, nUnknown, vKnown_ref, nKnown, dvKnown, dvUnknown,
                              "fmi2GetDirectionalDerivative"));
}

/* -- model exchange */

EXPORT_ fmi2Status FMI_(fmi2EnterEventMode)(void *c)
{
    return status_(moved_((Instance_ *)c, EVENT_ | CONTINUOUS_, EVENT_, "fmi2EnterEventMode"));
}

EXPORT_ fmi2Status FMI_(fmi2NewDiscreteStates)(void *c, fmi2EventInfo *eventInfo)
{
    memset(eventInfo, 0, sizeof *eventInfo);
    return status_(allowed_((Instance_ *)c, EVENT_, "fmi2NewDiscreteStates"));
}

EXPORT_ fmi2Status FMI_(fmi2EnterContinuousTimeMode)(void *c)
{
    return status_(moved_((Instance_ *)c, EVENT_, CONTINUOUS_, "fmi2EnterContinuousTimeMode"));
}

EXPORT_ fmi2Status FMI_(fmi2CompletedIntegratorStep)(void *c, int noSetFMUStatePriorToCurrentPoint, int *enterEventMode,
                                                     int *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    *enterEventMode = 0;
    *terminateSimulation = 0;
    return status_(completed_((Instance_ *)c, "fmi2CompletedIntegratorStep"));
}

EXPORT_ fmi2Status FMI_(fmi2SetTime)(void *c, double time)
{
    return status_(set_time_((Instance_ *)c, EVENT_ | CONTINUOUS_, time, "fmi2SetTime"));
}

EXPORT_ fmi2Status FMI_(fmi2SetContinuousStates)(void *c, const double x[], size_t nx)
{
    return status_(set_states_((Instance_ *)c, x, nx, "fmi2SetContinuousStates"));
}

EXPORT_ fmi2Status FMI_(fmi2GetDerivatives)(void *c, double derivatives[], size_t nx)
{
    return status_(get_derivatives_((Instance_ *)c, derivatives, nx, "fmi2GetDerivatives"));
}

EXPORT_ fmi2Status FMI_(fmi2GetEventIndicators)(void *c, double eventIndicators[], size_t ni)
{
    (void)eventIndicators;
    return status_(c != NULL && ni == 0);
}

EXPORT_ fmi2Status FMI_(fmi2GetContinuousStates)(void *c, double x[], size_t nx)
{
    return status_(get_states_((Instance_ *)c, x, nx, "fmi2GetContinuousStates"));
}

EXPORT_ fmi2Status FMI_(fmi2GetNominalsOfContinuousStates)(void *c, double x_nominal[], size_t nx)
{
    return status_(get_nominals_((Instance_ *)c, x_nominal, nx, "fmi2GetNominalsOfContinuousStates"));
}

/* -- co-simulation */

EXPORT_ fmi2Status FMI_(fmi2SetRealInputDerivatives)(void *c, const unsigned int vr[], size_t nvr, const int order[],
                                                     const double value[])
{
    (void)c, (void)vr, (void)nvr, (void)order, (void)value;
    return fmi2Error;
}

EXPORT_ fmi2Status FMI_(fmi2GetRealOutputDerivatives)(void *c, const unsigned int vr[], size_t nvr, const int order[],
                                                      double value[])
{
    (void)c, (void)vr, (void)nvr, (void)order, (void)value;
    return fmi2Error;
}

EXPORT_ fmi2Status FMI_(fmi2DoStep)(void *c, double currentCommunicationPoint, double communicationStepSize,
                                    int noSetFMUStatePriorToCurrentPoint)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    return status_(do_step_((Instance_ *)c, currentCommunicationPoint, communicationStepSize, "fmi2DoStep"));
}

EXPORT_ fmi2Status FMI_(fmi2CancelStep)(void *c)
{
    (void)c;
    return fmi2Error;
}

#define NO_STATUS_(Type, type)                                                           \
    EXPORT_ fmi2Status FMI_(fmi2Get##Type)(void *c, const fmi2StatusKind s, type *value) \
    {                                                                                    \
        (void)c, (void)s, (void)value;                                                   \
        return fmi2Discard;                                                              \
    }

NO_STATUS_(Status, fmi2Status)
NO_STATUS_(IntegerStatus, int)
NO_STATUS_(StringStatus, const char *)

EXPORT_ fmi2Status FMI_(fmi2GetRealStatus)(void *c, const fmi2StatusKind s, double *value)
{
    if (c == NULL || s != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((Instance_ *)c)->data.v[0];
    return fmi2OK;
}

EXPORT_ fmi2Status FMI_(fmi2GetBooleanStatus)(void *c, const fmi2StatusKind s, int *value)
{
    if (c == NULL || s != fmi2Terminated) return fmi2Discard;
    *value = 0;
    return fmi2OK;
}
