/** Status of the reply to input that breaks a rule. */
export const VALIDATION_ERROR_STATUS = undefined;
