import type { Pool } from '@ratchet/db/connect-pool'
import type { Erasure, ErasureRooms } from '@ratchet/work-kit/erasure/erasure'
import {
  addReferences,
  eventsToSendIn,
  firstAnswersIn,
  isReferenced,
  isReferencedId,
  namesPerson,
  type RowsToErase,
  rowStep,
  waitingStep,
} from '@ratchet/work-kit/erasure/pg-steps'

/**
 * Prompts and answers of training runs that used examples of a person. The answers of a run cannot be told apart by their origin,
 * so all of such a run are erased. A trained model cannot forget: the receipt names its versions.
 */
export function trainingRooms(pool: Pool): ErasureRooms {
  return {
    find: (erasure) =>
      addReferences(pool, erasure, [
        { kind: 'run', select: runs },
        { kind: 'dataset', select: madeDatasets },
      ]),
    steps: [waitingStep(pool, rowStep(pool, verdicts), running), ...rows.map((each) => rowStep(pool, each))],
    kept: async (erasure) => ({ model_versions: await versions(pool, erasure) }),
  }
}

const isDataset = (column: string) => isReferencedId(column, 'dataset')

const runs = `
  SELECT t.id::text FROM training_job t WHERE t.workspace_id = $2 AND (${isDataset('t.dataset_id')}
    OR ${isDataset('t.eval_dataset_id')} OR ${isDataset('t.training_file')} OR ${isDataset('t.validation_file')}
    OR t.id IN (SELECT p.run_id FROM grpo_prompt p WHERE p.workspace_id = $2
      AND (${isReferenced('prompt_digest(p.messages)', 'prompt')} OR ${namesPerson('p.messages')})))
  UNION ALL
  SELECT t.id::text FROM raft_round t WHERE t.workspace_id = $2
    AND (${isDataset('t.source_dataset_id')} OR ${isDataset('t.dataset_id')})
  UNION ALL
  SELECT p.round_id::text FROM raft_prompt p WHERE p.workspace_id = $2
    AND (${isReferenced('prompt_digest(p.prompt)', 'prompt')} OR ${namesPerson('p.prompt')})
  UNION ALL
  SELECT t.distillation_id::text FROM distill_prompt t WHERE t.workspace_id = $2
    AND (${isReferenced('prompt_digest(t.prompt)', 'prompt')} OR ${namesPerson('t.prompt')})`

/** What rounds and distillations made of them. The log takes only those examples out whose prompts are the person's. */
const madeDatasets = `
  SELECT t.dataset_id::text FROM raft_round t WHERE t.workspace_id = $2 AND ${isReferencedId('t.id', 'run')}
  UNION ALL
  SELECT t.id::text FROM distillation t WHERE t.workspace_id = $2 AND ${isReferencedId('t.id', 'run')}`

const ofRun = (column: string) => `t.workspace_id = $2 AND ${isReferencedId(column, 'run')}`
const ofRollout = `t.workspace_id = $2 AND t.rollout_id IN (
  SELECT o.id FROM grpo_rollout o WHERE o.workspace_id = $2 AND ${isReferencedId('o.run_id', 'run')})`

const isRunning = `t.finished_at IS NULL AND ${isReferencedId('t.id', 'run')}`
const running = {
  select: `SELECT 1 FROM training_job t WHERE t.workspace_id = $2 AND ${isRunning}
    UNION ALL SELECT 1 FROM raft_round t WHERE t.workspace_id = $2 AND ${isRunning}
    UNION ALL SELECT 1 FROM distillation t WHERE t.workspace_id = $2 AND ${isRunning}`,
  what: 'a training run with examples of the person still runs',
}

const verdicts: RowsToErase = {
  kind: 'rollout_notes',
  table: 'grpo_verdict',
  key: 'rollout_id, role, criterion_id',
  where: `${ofRollout} AND t.explanation IS NOT NULL`,
  set: 'explanation = NULL',
}

const rows: readonly RowsToErase[] = [
  {
    kind: 'rollout_notes',
    table: 'grpo_grade',
    key: 'id',
    where: `${ofRun('t.run_id')} AND t.rationale IS NOT NULL`,
    set: 'rationale = NULL',
  },
  {
    kind: 'rollout_notes',
    table: 'raft_grade',
    key: 'id',
    where: `${ofRun('t.round_id')} AND t.rationale IS NOT NULL`,
    set: 'rationale = NULL',
  },
  {
    kind: 'rollouts',
    table: 'grpo_rollout',
    key: 'id',
    where: `${ofRun('t.run_id')} AND (t.completion <> '' OR t.token_ids <> '[]')`,
    set: `completion = '', token_ids = '[]', logprobs = '[]', token_mask = NULL, terms = NULL`,
  },
  {
    kind: 'rollouts',
    table: 'raft_sample',
    key: 'round_id, part, prompt_index, sample_index',
    where: `${ofRun('t.round_id')} AND t.completion IS NOT NULL`,
    set: 'completion = NULL',
  },
  {
    kind: 'rollouts',
    table: 'distill_sample',
    key: 'distillation_id, prompt_index, sample_index',
    where: `${ofRun('t.distillation_id')} AND t.completion IS NOT NULL`,
    set: 'completion = NULL',
  },
  { kind: 'training_prompts', table: 'grpo_prompt', key: 'run_id, part, place', where: ofRun('t.run_id') },
  { kind: 'training_prompts', table: 'raft_prompt', key: 'round_id, prompt_index', where: ofRun('t.round_id') },
  {
    kind: 'training_prompts',
    table: 'distill_prompt',
    key: 'distillation_id, prompt_index',
    where: ofRun('t.distillation_id'),
  },
  { kind: 'tool_calls', table: 'tool_call', key: 'run_id, call_id', where: ofRun('t.run_id') },
  {
    kind: 'tool_recordings',
    table: 'tool_recording',
    key: 'tool_id, key',
    where: `t.workspace_id = $2 AND (${namesPerson('t.arguments')} OR ${namesPerson('t.result')})`,
  },
  {
    kind: 'training_files',
    table: 'artifact_reference',
    key: 'sha256, holder',
    where: ofRun('t.holder'),
  },
  eventsToSendIn('training_notice'),
  firstAnswersIn('training_answer'),
]

/** Versions that were trained with examples of the person, and those that were trained further from them. */
async function versions(pool: Pool, { id, workspaceId }: Erasure): Promise<readonly string[]> {
  const text = `
    WITH RECURSIVE touched AS (
      SELECT v.id, v.name FROM model_version v WHERE v.workspace_id = $2
        AND (${isDataset('v.dataset_id')} OR ${isReferencedId('v.job_id', 'run')} OR ${isReferencedId('v.producer_id', 'run')})
      UNION
      SELECT v.id, v.name FROM model_version v JOIN touched t ON v.parent_id = t.id WHERE v.workspace_id = $2
    )
    SELECT name FROM touched ORDER BY name`
  const { rows: found } = await pool.query<{ name: string }>(text, [id, workspaceId])
  return found.map(({ name }) => name)
}
