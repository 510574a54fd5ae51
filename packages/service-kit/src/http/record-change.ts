import type { RecordedAction } from '@ratchet/contracts/changes'
import type { Identity } from '@ratchet/contracts/identity'
import type { Request, Response } from 'express'
import { asServiceError } from './service-error.ts'

/** A change that a request is about to make. */
export interface ChangeBegin {
  readonly id: string
  readonly workspaceId: string
  readonly action: RecordedAction
  /** What is changed, as far as the request names it. */
  readonly subject: string
  readonly userId: string
  readonly keyId: string | null
  readonly requestId: string
  readonly at: Date
}

/** Where changes of workspaces are recorded. */
export interface ChangeRecorder {
  /** Stores that a change may be made now. Without that, none is made. */
  begin(change: ChangeBegin): Promise<void>
  /** Seals it, or forgets it when nothing was made. */
  end(change: Pick<ChangeBegin, 'id' | 'workspaceId'> & { subject: string | null; made: object | null }): Promise<void>
}

/** What an app needs to record changes. */
export interface ChangeRecording extends ChangeRecorder {
  readonly now: () => Date
  readonly newId: () => string
  readonly onLost: (error: unknown, requestId: string) => void
}

/** The name under which an app holds its recording. */
export const changeRecordingName = 'changeRecording'

interface Recorded {
  readonly action: RecordedAction
  readonly identity: Identity
  readonly params: unknown
  readonly request: Request
  readonly response: Response
}

/**
 * Runs a handler whose endpoint changes a workspace. The change is stored before the handler runs, and sealed before its answer
 * is sent; a refusal leaves nothing. An error of the server leaves an entry that says that the outcome is unknown.
 */
export async function recordChange(recorded: Recorded, handle: () => Promise<unknown>): Promise<void> {
  const { action, identity, params, request, response } = recorded
  const recording = recordingOf(request)
  const { workspaceId, userId, keyId } = identity
  const id = recording.newId()
  const subject = Object.values(params as Record<string, unknown>).join(' ')
  const at = recording.now()
  await recording.begin({ id, workspaceId, action, subject, userId, keyId, requestId: request.id, at })
  const end = async (made: object | null, named: string | null) => {
    // What was changed stays changed. The entry is then sealed later, without what is known now.
    const lost = (error: unknown) => recording.onLost(error, request.id)
    await recording.end({ id, workspaceId, subject: named, made }).catch(lost)
  }
  const held = holdAnswer(response)
  try {
    await handle()
  } catch (error) {
    held.release()
    await end(asServiceError(error).status < 500 ? null : { outcome: 'unknown' }, null)
    throw error
  }
  const isMade = response.statusCode < 400 && !isRepetition(response) && !isRehearsal(request.body)
  await end(isMade ? describe(request.body) : null, subject === '' ? subjectOf(held.answer()) : null)
  held.release()
}

function recordingOf(request: Request): ChangeRecording {
  const recording = request.app.locals[changeRecordingName] as ChangeRecording | undefined
  if (recording === undefined) throw new Error('this app has an endpoint that records changes, and no place for them')
  return recording
}

/** Keeps the end of an answer back, so that whoever has the answer finds the entry too. */
function holdAnswer(response: Response): { answer(): unknown; release(): void } {
  const end = response.end
  let held: unknown[] | null = null
  response.end = ((...args: unknown[]) => {
    held ??= args
    return response
  }) as Response['end']
  return {
    answer: () => held?.[0],
    release() {
      response.end = end
      if (held !== null) Reflect.apply(end, response, held)
      held = null
    },
  }
}

/** The same request came before, and made the change then. */
function isRepetition(response: Response): boolean {
  return response.getHeader('idempotent-replay') === 'true'
}

function isRehearsal(body: unknown): boolean {
  const { dry_run: dryRun, dryRun: isDry } = fieldsOf(body)
  return dryRun === true || isDry === true
}

/** Words of a small set, which tell what was changed and nothing about a person. */
const wordFields = new Set(['model', 'base_model', 'baseModel', 'kind', 'status', 'in', 'direction', 'hardware'])
const maxWord = 200

/**
 * What an entry says of a body: which fields it has, and the values of those that cannot have words of people, such as numbers
 * and switches. Entries are never deleted, and bodies have secrets and texts.
 */
function describe(body: unknown): object {
  const fields = Object.entries(fieldsOf(body))
  const isPlain = ([name, value]: readonly [string, unknown]) =>
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    value === null ||
    (typeof value === 'string' && wordFields.has(name) && value.length <= maxWord)
  return { fields: fields.map(([name]) => name), values: Object.fromEntries(fields.filter(isPlain)) }
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !Array.isArray(body)
  return isObject ? (body as Record<string, unknown>) : {}
}

const maxReadAnswer = 65_536

/** The id in an answer to the creation of something, at its top or one level below. */
function subjectOf(answer: unknown): string | null {
  if (!(typeof answer === 'string' || Buffer.isBuffer(answer)) || answer.length > maxReadAnswer) return null
  try {
    const parsed = fieldsOf(JSON.parse(answer.toString()))
    const found = [parsed, ...Object.values(parsed).map(fieldsOf)].map(({ id }) => id)
    return found.find((id) => typeof id === 'string') ?? null
  } catch {
    return null
  }
}
