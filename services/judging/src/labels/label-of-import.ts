import { createHash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import type { ImportedGrade } from '@ratchet/contracts/labels'
import { redactOptional } from '@ratchet/redaction/redact-identifier'
import { freezeExchange } from './freeze-exchange.ts'
import type { NewLabel } from './label.ts'
import { picked } from './picked.ts'
import type { GradedTexts } from './redact.ts'
import { verdictOf } from './verdict-of.ts'

export interface LineGrade {
  readonly line: ImportedGrade
  /** The texts of the line, redacted. */
  readonly texts: GradedTexts
  /** UUID. */
  readonly criterionId: string | null
  readonly id: string
  readonly identity: Pick<Identity, 'workspaceId' | 'userId'>
  readonly at: Date
}

/** The texts of a line, not redacted. */
export function textsOf({ messages, response, tools, rationale }: ImportedGrade): GradedTexts {
  return {
    messages,
    response: typeof response === 'string' ? { role: 'assistant', content: response } : response,
    tools: tools ?? null,
    rationale: rationale ?? null,
  }
}

/**
 * The grade of an exchange that is not in the log. Its item is identified by its external id as it was sent, or else by its
 * content. Identifiers are stored without secrets.
 */
export function labelOfImport({ line, texts, criterionId, id, identity, at }: LineGrade): NewLabel {
  const { workspaceId, userId } = identity
  const externalId = line.external_id ?? null
  const snapshot = freezeExchange({ ...texts, model: redactOptional(line.model) })
  return {
    id,
    workspaceId,
    criterionId,
    externalId: redactOptional(externalId),
    snapshot,
    unit: 'request',
    logId: null,
    traceId: null,
    itemKey: hash(externalId === null ? `content ${snapshot.sha256}` : `external ${externalId}`),
    label: verdictOf(line),
    // Redaction may have cut a surrogate pair.
    rationale: texts.rationale?.toWellFormed() ?? null,
    graderId: redactOptional(line.grader) ?? userId,
    source: 'import',
    blind: false,
    tag: null,
    segment: 'none',
    sampling: samplingOf(line),
    createdBy: userId,
    createdAt: at,
  }
}

function samplingOf({ weight }: ImportedGrade): NewLabel['sampling'] {
  return typeof weight === 'number' ? { method: 'import', probability: 1 / weight, stratum: null } : picked
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
