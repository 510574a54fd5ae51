import { AliasConfig } from '@ratchet/alias/start'
import { AliasWorkerConfig } from '@ratchet/alias/start-worker'
import { DashboardConfig } from '@ratchet/dashboard/start'
import { EdgeConfig } from '@ratchet/edge/start'
import { EvalConfig } from '@ratchet/eval/start'
import { EvalWorkerConfig } from '@ratchet/eval/start-worker'
import { InferenceConfig } from '@ratchet/inference/start'
import { JudgingConfig } from '@ratchet/judging/start'
import { JudgingWorkerConfig } from '@ratchet/judging/start-worker'
import { LoggingConfig } from '@ratchet/logging/start'
import { LoggingWorkerConfig } from '@ratchet/logging/start-worker'
import { TrainingConfig } from '@ratchet/training/start'
import { TrainingWorkerConfig } from '@ratchet/training/start-worker'
import { VoiceConfig } from '@ratchet/voice/start'
import { VoiceWorkerConfig } from '@ratchet/voice/start-worker'

/** The part of a zod schema that is read here. */
export interface Setting {
  safeParse(value: unknown): { success: boolean }
}

/** The configuration schema of each service. */
export const serviceConfigs: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  edge: EdgeConfig.shape,
  dashboard: DashboardConfig.shape,
  inference: InferenceConfig.shape,
  logging: LoggingConfig.shape,
  'logging-worker': LoggingWorkerConfig.shape,
  judging: JudgingConfig.shape,
  'judging-worker': JudgingWorkerConfig.shape,
  eval: EvalConfig.shape,
  'eval-worker': EvalWorkerConfig.shape,
  alias: AliasConfig.shape,
  'alias-worker': AliasWorkerConfig.shape,
  training: TrainingConfig.shape,
  'training-worker': TrainingWorkerConfig.shape,
  voice: VoiceConfig.shape,
  'voice-worker': VoiceWorkerConfig.shape,
}

/** Names of the settings that a service requires. */
export function requiredSettings(service: string): readonly string[] {
  const settings = Object.entries(serviceConfigs[service] ?? {})
  return settings.flatMap(([name, schema]) => (schema.safeParse(undefined).success ? [] : [name]))
}

/** Read by `packages/telemetry` before the service reads its own settings. */
export const telemetryVariables = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER_ARG',
] as const
