import type { EvalAssertion } from '@ratchet/contracts/evals'
import { isSubset } from './is-subset.ts'

/** What an assertion is called in reports, such as `tool_called:search`. */
export function assertionName(assertion: EvalAssertion): string {
  return assertion.type === 'no_tool_call' ? assertion.type : `${assertion.type}:${assertion.value}`
}

/** Their names in their order, numbered where several would be called the same: `args_match:search#2`. */
export function assertionNames(assertions: readonly EvalAssertion[]): readonly string[] {
  const names = new Set<string>()
  for (const assertion of assertions) names.add(firstFree(assertionName(assertion), names))
  return [...names]
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name}#${number}`
  return free
}

/**
 * Which assertions hold of an answer, by their names.
 *
 * @param toolCalls of the answer, in the shape of OpenAI; of any shape at all, since models and providers wrote them
 */
export function checkAssertions(
  assertions: readonly EvalAssertion[],
  toolCalls: readonly unknown[] | null,
): Record<string, boolean> {
  const calls = toolCalls ?? []
  const names = assertionNames(assertions)
  return Object.fromEntries(assertions.map((assertion, index) => [names[index], holds(assertion, calls)]))
}

function holds(assertion: EvalAssertion, calls: readonly unknown[]): boolean {
  if (assertion.type === 'no_tool_call') return calls.length === 0
  const named = calls.filter((call) => ownValue(calledFunction(call), 'name') === assertion.value)
  if (assertion.type === 'tool_called') return named.length > 0
  return named.some((call) => isSubset(assertion.args, argumentsOf(call)))
}

function calledFunction(call: unknown): unknown {
  return ownValue(call, 'function')
}

/** Undefined for arguments that are no JSON object, which is a subset of nothing. */
function argumentsOf(call: unknown): unknown {
  const text = ownValue(calledFunction(call), 'arguments')
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ownValue(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined
  return (holder as Readonly<Record<string, unknown>>)[key]
}
