/* Empty: the file that connects an S-function with Simulink. */
