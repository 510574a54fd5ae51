import type { EvalAssertion } from '@ratchet/contracts/evals'
import { type Fields, isObject } from '@ratchet/service-kit/values/json'

/** Name of an assertion in reports, such as `tool_called:search`. */
export function assertionName(assertion: EvalAssertion): string {
  return assertion.type === 'no_tool_call' ? assertion.type : `${assertion.type}:${assertion.value}`
}

/** Names in the order of the assertions. Repeated names get a number: `args_match:search#2`. */
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
 * Checks an answer against the assertions. Results are keyed by the assertion's name.
 *
 * @param toolCalls the answer's tool calls in OpenAI's format; unchecked, because models and providers wrote them
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

/** Undefined for arguments that are not valid JSON, so that they match nothing. */
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

/**
 * Whether a JSON value contains the expected one. Objects may have more members than expected, at any depth outside of
 * arrays. Arrays and all other values must be equal.
 */
export function isSubset(expected: unknown, actual: unknown): boolean {
  if (!isObject(expected)) return isEqual(expected, actual)
  return isObject(actual) && hasEach(expected, actual, isSubset)
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
    )
  }
  if (!isObject(one)) return one === other
  return isObject(other) && Object.keys(one).length === Object.keys(other).length && hasEach(one, other, isEqual)
}

function hasEach(expected: Fields, actual: Fields, agree: (one: unknown, other: unknown) => boolean): boolean {
  return Object.keys(expected).every((key) => Object.hasOwn(actual, key) && agree(expected[key], actual[key]))
}
