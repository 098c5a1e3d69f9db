/** Whether the input of POST /auth/register is valid. */
export function isRegistration() {
  throw new Error('not written yet');
}
