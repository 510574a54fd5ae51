import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@ratchet/db/connect-pool'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/process/webhook-config'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import { z } from 'zod'
import type { AnswerDeps } from './environment-tools/answer-call.ts'
import { createBreaker } from './environment-tools/breaker.ts'
import { createToolCalls } from './environment-tools/create-tool-calls.ts'
import { createPgRecordings } from './environment-tools/pg-recordings.ts'
import { createPgToolCalls } from './environment-tools/pg-tool-calls.ts'
import { createPgTools } from './environment-tools/pg-tools.ts'
import { createPlaces } from './environment-tools/places.ts'
import { createFindRecording } from './environment-tools/recordings.ts'
import type { ToolRouteDeps } from './environment-tools/routes.ts'
import type { ToolCalls } from './environment-tools/tool-calls.ts'
import { createTraceReader } from './environment-tools/trace-reader.ts'

/** Variables of processes that call environment tools. Addresses of tools follow the rules of webhooks. */
export const toolsConfig = {
  ...webhookConfig,
  /** Encrypt secrets of tools: 32 bytes each, `k1:<base64>,…`. The first key encrypts, all decrypt. */
  ENCRYPTION_KEYS: NamedKeys,
}
const ToolsConfig = z.object(toolsConfig)
export type ToolsConfig = z.output<typeof ToolsConfig>

export interface ToolsContext {
  readonly pool: Pool
  readonly now: () => Date
}

/** What answers a call of a tool, in this process. */
function answersOf(config: ToolsConfig, { pool, now }: ToolsContext): AnswerDeps {
  return {
    rules: webhookRules(config),
    now,
    delay: (ms) => delay(ms),
    checks: createSchemaChecks(),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    findRecording: createFindRecording(createPgRecordings(pool)),
    breaker: createBreaker(),
    places: createPlaces(),
  }
}

/** The tools of runs. */
export function startToolCalls(config: ToolsConfig, context: ToolsContext): ToolCalls {
  const { pool } = context
  return createToolCalls({ ...answersOf(config, context), tools: createPgTools(pool), calls: createPgToolCalls(pool) })
}

export interface ToolApiContext extends ToolsContext {
  readonly newId: () => string
  readonly logging: Pick<FleetClient, 'call'>
}

/** The endpoints of tools. */
export function startToolApi(config: ToolsConfig, context: ToolApiContext): ToolRouteDeps {
  const { pool, now, newId, logging } = context
  const answers = answersOf(config, context)
  return {
    tools: createPgTools(pool),
    answers,
    rules: answers.rules,
    checks: answers.checks,
    traces: createTraceReader(logging),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    randomBytes,
    firstAnswers: createPgFirstAnswers(pool, 'training_answer'),
    now,
    newId,
  }
}
