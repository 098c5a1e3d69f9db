/** Forms of gates alone: the problems that they report, and how often a form is compiled. */
import { z } from 'zod';
import { describe, expect, it, vi } from 'vitest';
import { GATE_FORMS_KNOWN_MAX } from '../../../../src/machines/limits.ts';
import {
  flawOfForm,
  formOf,
  type GateForm,
  KnownForms,
  problemsOf,
} from '../../../../src/machines/people/gates/gate-form.ts';

const FORM = formOf(z.object({ decision: z.enum(['yes', 'no']), note: z.string().max(100).optional() }));

/** A copy as a schema or a store returns it: an equal but different object. */
const copyOf = (form: GateForm): GateForm => structuredClone(form);

describe('a form', () => {
  it('reports the problems of an answer by their place', () => {
    expect(problemsOf(FORM, { decision: 'no', note: 'x'.repeat(100) })).toEqual([]);
    expect(problemsOf(FORM, { decision: 'no', note: 'x'.repeat(101) })[0]).toMatch(/^note: /);
    expect(problemsOf(FORM, 'no')[0]).toMatch(/^answer: /);
  });

  it('names the choices to an answer that is none of them, and else the problems of the choice that is meant', () => {
    const spawn = z.object({
      choice: z.literal('spawn'),
      role: z.enum(['A', 'B']),
      files: z.array(z.string().regex(/^\w+$/).describe('A name of a file.')).optional(),
    });
    const form = formOf(spawn.or(z.object({ choice: z.literal('stop') })));
    const expected = (choice: string) => `choice: Invalid input: expected "${choice}"`;
    expect(problemsOf(form, { choice: 'banana' })).toEqual([`${expected('spawn')}, or ${expected('stop')}`]);
    expect(problemsOf(form, { choice: 'spawn' })).toEqual(['role: Invalid option: expected one of "A"|"B"']);
    expect(problemsOf(form, { choice: 'spawn', role: 'A', files: ['a', '/'] })).toEqual(['files.1: A name of a file.']);
    expect(problemsOf(form, 'spawn')).toEqual(['answer: Invalid input: expected object, received string']);
    expect(problemsOf(formOf(z.string().or(z.number())), null)[0]).toMatch(/expected string.*, or .*expected number/);
  });

  it('means the same before and after storage, and as a copy, since its JSON text defines it', () => {
    const form = { type: 'number', minimum: 3, title: undefined };
    expect(flawOfForm(form)).toBeUndefined();
    expect(problemsOf(form, 2)).toHaveLength(1);
    expect(problemsOf(form, 3)).toEqual([]);
    expect(flawOfForm({ type: 'number', minimum: 3n })).toMatch(/BigInt/);
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = { again: circle };
    expect(flawOfForm(circle)).toMatch(/circular/);
  });
});

describe('known forms', () => {
  const compile = vi.fn((text: string) => {
    if (text.includes('colour')) throw new Error('no such type');
  });

  it('are compiled once for all gates that use them', () => {
    const known = new KnownForms(compile);
    compile.mockClear();
    for (let n = 0; n < 100; n++) expect(known.flawOf(copyOf(FORM))).toBeUndefined();
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it('are only valid ones: an invalid form is compiled each time', () => {
    const known = new KnownForms(compile);
    compile.mockClear();
    for (let n = 0; n < 2; n++) expect(known.flawOf({ type: 'colour' })).toBe('no such type');
    expect(compile).toHaveBeenCalledTimes(2);
  });

  it('are limited in number: old ones are forgotten, so that a stranger with many forms fills no memory', () => {
    const known = new KnownForms(compile);
    known.flawOf(FORM);
    for (let n = 0; n < GATE_FORMS_KNOWN_MAX; n++) known.flawOf({ type: 'string', maxLength: n });
    compile.mockClear();
    known.flawOf(FORM);
    expect(compile).toHaveBeenCalledTimes(1);
  });
});
