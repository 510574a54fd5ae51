import type { z } from 'zod'

type RawIssue = z.core.$ZodRawIssue

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formatNames: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-11-21',
  datetime: 'an ISO 8601 date-time with its zone',
  url: 'a URL',
  uuid: 'a UUID',
}

/** Messages for zod issues of schemas without a message. Each is a sentence about `This`. */
export function describeIssue(issue: RawIssue): string | undefined {
  if (issue.input === undefined) return 'This is required.'
  switch (issue.code) {
    case 'invalid_type':
      return mustBe(typeNames[issue.expected] ?? issue.expected)
    case 'invalid_value':
      return mustBe(listed(issue.values.map(String)))
    case 'too_small':
      return `This must ${atLeast(issue)}.`
    case 'too_big':
      return `This must ${atMost(issue)}.`
    case 'invalid_format':
      return mustBe(formatNames[issue.format] ?? 'in the documented format')
    case 'invalid_union':
      return describeUnion(issue)
    case 'not_multiple_of':
      return mustBe(`a multiple of ${issue.divisor}`)
    default:
      return undefined
  }
}

/** The issue to report: of a union, that of the closest branch, with its whole path. */
export function innermostIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  const inner = issue.code === 'invalid_union' ? nearestBranch(issue.errors) : undefined
  if (inner === undefined) return issue
  const found = innermostIssue(inner)
  return { ...found, path: [...issue.path, ...found.path] }
}

/** The first issue below the value itself; undefined if there is none. */
function nearestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodIssue | undefined {
  const deep = branches.filter(([first]) => first !== undefined && first.path.length > 0)
  return deep.toSorted(([a], [b]) => (b?.path.length ?? 0) - (a?.path.length ?? 0))[0]?.[0]
}

function describeUnion({ errors }: Extract<RawIssue, { code: 'invalid_union' }>): string {
  const expectations = (errors ?? []).flatMap(
    ([first]) => /^This must be (.+)\.$/.exec(first?.message ?? '')?.[1] ?? [],
  )
  return expectations.length === 0 ? 'This has no valid value.' : mustBe(listed([...new Set(expectations)]))
}

interface Bound {
  readonly origin: string
  readonly inclusive?: boolean | undefined
}

function atLeast({ minimum, ...bound }: Bound & { readonly minimum: number | bigint }): string {
  const unit = unitOf(bound.origin, minimum)
  if (unit === null) return bound.inclusive === false ? `be greater than ${minimum}` : `be at least ${minimum}`
  return minimum === 1 ? 'not be empty' : `have at least ${minimum} ${unit}`
}

function atMost({ maximum, ...bound }: Bound & { readonly maximum: number | bigint }): string {
  const unit = unitOf(bound.origin, maximum)
  if (unit === null) return bound.inclusive === false ? `be less than ${maximum}` : `be at most ${maximum}`
  return `have at most ${maximum} ${unit}`
}

/** Unit of the length of a text or a list; null for a number. */
function unitOf(origin: string, count: number | bigint): string | null {
  if (origin === 'string') return count === 1 ? 'character' : 'characters'
  if (origin === 'array' || origin === 'set') return count === 1 ? 'item' : 'items'
  return null
}

function mustBe(what: string): string {
  return `This must be ${what}.`
}

function listed(options: readonly string[]): string {
  const last = options.at(-1) ?? ''
  return options.length < 2 ? last : `${options.slice(0, -1).join(', ')} or ${last}`
}
