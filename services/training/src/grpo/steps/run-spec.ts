import type { GrpoSpec } from '@ratchet/contracts/grpo-spec'
import { publicId } from '@ratchet/contracts/public-id'
import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'
import { type TrainerFile, type TrainerLimits, trainerProtocolVersion } from '@ratchet/contracts/trainer-spec'
import type { z } from 'zod'
import type { ArtifactStore } from '../../artifacts/artifact-store.ts'
import type { Attempt } from '../../attempts/attempt.ts'
import { superseded } from '../../attempts/trainer-refusal.ts'
import { downloadMs, probes } from '../../attempts/trainer-spec-of.ts'
import type { ToolCalls } from '../../environment-tools/tool-calls.ts'
import { offeredTools } from './protocol.ts'
import type { StepStore } from './step.ts'

export interface RunSpecDeps {
  readonly artifacts: Pick<ArtifactStore, 'signDownload'>
  readonly limits: z.output<typeof TrainerLimits>
  readonly steps: Pick<StepStore, 'run'>
  readonly toolCalls: Pick<ToolCalls, 'offered' | 'counts'>
  readonly now: () => Date
}

/** Everything that an attempt of a run needs, with fresh URLs. */
export async function runSpec(
  { artifacts, limits, steps, toolCalls, now }: RunSpecDeps,
  attempt: Attempt,
): Promise<GrpoSpec> {
  const run = await steps.run(attempt)
  if (run === null) throw superseded()
  const { durable, warmStart } = attempt
  const { environment } = run.settings
  const tools = await offeredTools({ toolCalls }, run)
  const expiresAt = new Date(now().getTime() + downloadMs)
  const filesOf = async (stored: readonly CheckpointFile[]) => {
    const files: TrainerFile[] = []
    for (const { name, sha256, bytes } of stored) {
      files.push({ name, sha256, bytes, url: (await artifacts.signDownload({ sha256, bytes }, expiresAt)).url })
    }
    return files
  }
  return {
    protocol: trainerProtocolVersion,
    job_id: publicId('grpoRun', attempt.jobId),
    attempt: attempt.generation,
    kind: 'grpo',
    base_model: attempt.settings.base_model,
    chat_template: null,
    seed: attempt.seed,
    hyperparameters: run.settings.hyperparameters,
    prompts_sha256: run.promptsSha256,
    environment: environment === null || tools === null ? null : { tools, max_turns: environment.maxTurns },
    plan: { total_steps: run.settings.hyperparameters.max_steps },
    resume: durable === null ? null : { step: durable.step, files: await filesOf(durable.files) },
    warm_start: warmStart === null || durable !== null ? null : await filesOf(warmStart),
    limits,
    probes,
  }
}
