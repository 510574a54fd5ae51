import { isDeepStrictEqual } from 'node:util'
import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type Fields, isObject } from '@ratchet/service-kit/values/json'
import { FlatRefusal } from './flat-refusal.ts'
import { requestedOf } from './resolve-settings.ts'

export interface ReadBody {
  readonly request: CreateFineTuningJob
  /** An error about the request that names a field as the client spells it; any other error as it is. */
  asSpelled(error: unknown): unknown
}

/**
 * Reads the body that creates or estimates a job, with keys in camelCase or snake_case.
 *
 * @throws FlatRefusal for a key in both spellings with different values, neither or both of `datasetId` and `trainingFile`,
 *   and a `method.type` with the settings of another method
 * @throws ServiceError 400 for everything else, naming the field as the client spells it
 */
export function readBody(sent: unknown): ReadBody {
  const spelling = new Map<string, string>()
  const body = camelCased(sent, spelling)
  const asSpelled = (error: unknown) => withClientsSpelling(spelling, error)
  try {
    const request = parseInput(CreateFineTuningJob, body)
    requireOneSource(request)
    requireMethodOfType(request)
    requireConsistent(request)
    return { request, asSpelled }
  } catch (error) {
    throw asSpelled(error)
  }
}

/** Their keys are the user's. */
const opaque = new Set(['metadata'])

/** More than any valid body has. */
const maxDepth = 6

/** @param spelling gets the sent key of each key in snake_case */
function camelCased(value: unknown, spelling: Map<string, string>, depth = 0): unknown {
  if (!isObject(value) || depth > maxDepth) return value
  const read: [string, unknown][] = []
  const values = new Map<string, unknown>()
  for (const [key, member] of Object.entries(value as Fields)) {
    const name = camelCaseOf(key)
    if (name !== key) spelling.set(name, key)
    const own = opaque.has(name) ? member : camelCased(member, spelling, depth + 1)
    if (values.has(name) && !isDeepStrictEqual(values.get(name), own)) {
      throw new FlatRefusal(`\`${name}\` and \`${snakeCaseOf(name)}\` are the same field and have different values.`)
    }
    if (!values.has(name)) read.push([name, own])
    values.set(name, own)
  }
  return Object.fromEntries(read)
}

function camelCaseOf(key: string): string {
  return /^[a-z]+(_[a-z]+)+$/.test(key) ? key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : key
}

function snakeCaseOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function withClientsSpelling(spelling: ReadonlyMap<string, string>, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.param === null) return error
  const { code, message, details, cause, headers } = error
  const param = error.param
    .split('.')
    .map((name) => spelling.get(name) ?? name)
    .join('.')
  if (param === error.param) return error
  const more = details === undefined ? { cause, headers } : { cause, headers, details }
  return new ServiceError(code, message.replaceAll(error.param, param), { param, ...more })
}

function requireOneSource({ datasetId, trainingFile }: CreateFineTuningJob): void {
  const given = [datasetId, trainingFile].filter((id) => id != null).length
  if (given === 1) return
  const problem = given === 0 ? 'is required' : 'is allowed'
  throw new FlatRefusal(`Exactly one of \`datasetId\` and \`trainingFile\` ${problem}.`)
}

function requireMethodOfType({ method }: CreateFineTuningJob): void {
  const { type } = method
  const other = type === 'dpo' ? 'supervised' : 'dpo'
  if (method[other] === undefined) return
  throw new FlatRefusal(`\`method.type\` is \`${type}\`, but \`method\` has the settings of \`${other}\`.`)
}

function requireConsistent(request: CreateFineTuningJob): void {
  const { evalDatasetId, validationFile, method } = request
  if (evalDatasetId != null && validationFile != null) {
    throw refused('validationFile', 'cannot be used together with `evalDatasetId`.')
  }
  const { learningRate, learningRateMultiplier } = requestedOf({ method })
  if (learningRate == null || learningRateMultiplier == null) return
  const path = `method.${method.type}.hyperparameters.learningRate`
  throw refused(path, 'cannot be used together with `learningRateMultiplier`.')
}

function refused(param: string, what: string): ServiceError {
  return new ServiceError('invalid_request', `\`${param}\` ${what}`, { param })
}
