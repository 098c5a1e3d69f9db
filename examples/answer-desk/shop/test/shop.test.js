import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

test('valid input of POST /auth/register is told from invalid', async () => {
  const { MINIMUM_PASSWORD_LENGTH: length } = await import('../src/limits.js');
  const { isRegistration } = await import('../src/register.js');
  const email = 'ada@example.org';
  assert.ok(isRegistration({ email, password: 'x'.repeat(length) }));
  assert.ok(!isRegistration({ email, password: 'x'.repeat(length - 1) }));
  assert.ok(!isRegistration({ email }));
});

test('a validation error has a status of HTTP', async () => {
  const { VALIDATION_ERROR_STATUS } = await import('../src/errors.js');
  assert.match(String(VALIDATION_ERROR_STATUS), /^4\d\d$/);
});

test('passwords are as long as planned', async () => {
  const { MINIMUM_PASSWORD_LENGTH } = await import('../src/limits.js');
  const plan = JSON.parse(await readFile(new URL('../plan.json', import.meta.url), 'utf8'));
  const planned = plan.tasks.find((task) => 'minimumPasswordLength' in task);
  assert.equal(MINIMUM_PASSWORD_LENGTH, planned.minimumPasswordLength);
});

test('customers can pay', async () => {
  const { CURRENCIES } = await import('../src/currencies.js');
  assert.ok(CURRENCIES.length > 0);
});
