import { readFile } from 'node:fs/promises'
import { CreateEval } from '@ratchet/contracts/evals'
import type { Command } from 'commander'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { type Field, fields, switchValues } from './body-fields.ts'

type EvalBody = z.input<typeof CreateEval>
type Part = Record<string, unknown>

const JsonObject = z.record(z.string(), z.unknown())
const maxNameLength = 200

/** Adds a flag for every field of an eval, and one for a file with all of them. */
export function addBodyOptions(command: Command): void {
  for (const { option } of fields) command.addOption(option)
  command.option('--file <path>', 'the request body as JSON; flags override it')
}

/**
 * Builds the body of the request. Fields that were not given are absent, so that the deployment's defaults apply.
 *
 * @throws CliError which names the flag or the file
 */
export async function bodyOf(options: Readonly<Record<string, unknown>>): Promise<EvalBody> {
  const file = typeof options.file === 'string' ? await readBody(options.file) : {}
  const flags = partsOf(options)
  const body = named(merged(file, flags))
  const { success, error } = CreateEval.safeParse(body)
  if (!success) throw new CliError(problemOf(error.issues[0], { body, flags }))
  return body as unknown as EvalBody
}

async function readBody(path: string): Promise<Part> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new CliError(`--file: ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  try {
    return JsonObject.parse(JSON.parse(text))
  } catch (cause) {
    throw new CliError(`--file: ${path} does not contain a JSON object`, { cause })
  }
}

function partsOf(options: Readonly<Record<string, unknown>>): Part {
  const parts: Part = {}
  for (const { option, path } of fields) {
    const name = option.attributeName()
    if (options[name] !== undefined) put(parts, path, switchValues[name] ?? options[name])
  }
  return parts
}

function put(parts: Part, [first, second]: Field['path'], value: unknown): void {
  const before = parts[first]
  if (second !== undefined) parts[first] = { ...(before as Part | undefined), [second]: value }
  else parts[first] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
}

/** Flags override filters and parameters of the file field by field, other values as a whole. */
function merged(file: Part, flags: Part): Part {
  const result = { ...file, ...flags }
  for (const name of ['sample_filters', 'params']) {
    const [below, above] = [JsonObject.safeParse(file[name]), JsonObject.safeParse(flags[name])]
    if (below.success && above.success) result[name] = { ...below.data, ...above.data }
  }
  return result
}

function named(body: Part): Part {
  if (body.name !== undefined) return body
  const candidates = [body.candidate_models ?? []].flat().join(', ')
  return { ...body, name: `${candidates} vs ${body.baseline_model}`.slice(0, maxNameLength).toWellFormed().trim() }
}

function problemOf(issue: z.core.$ZodIssue | undefined, { body, flags }: { body: Part; flags: Part }): string {
  const [first = '', ...rest] = (issue?.path ?? []).map(String)
  const { option } = fields.find(({ path }) => path.length === 1 && path[0] === first) ?? {}
  if (option !== undefined && body[first] === undefined) return `required option '${option.flags}' not specified`
  // Flags were checked one by one, so the remaining problem is a flag that is given too often.
  const isOfFlags = option !== undefined && rest.length === 0 && flags[first] !== undefined
  const place = isOfFlags ? [option.long] : ['--file', [first, ...rest].join('.')].filter((part) => part !== '')
  return `${place.join(': ')}: ${issue?.message}`
}
