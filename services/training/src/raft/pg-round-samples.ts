import type { Pool } from '@ratchet/db/connect-pool'
import {
  heldOutSamples,
  type JudgedSample,
  type OpenSample,
  type RoundPrompt,
  type RoundWork,
  type SampleKey,
  type TrainedVersion,
} from './round.ts'

type SampleWork = Pick<
  RoundWork,
  | 'open'
  | 'countOpen'
  | 'answer'
  | 'judge'
  | 'samples'
  | 'keep'
  | 'prompts'
  | 'costs'
  | 'addAfter'
  | 'version'
  | 'servedAs'
>

/** Answers of rounds in Postgres. An answer or verdict that is stored stays as it is. */
export function pgRoundSamples(pool: Pool): SampleWork {
  return {
    async open({ workspaceId, id }, state, limit) {
      const { rows } = await pool.query<OpenRow>(openStatement, [workspaceId, id, state, limit])
      return rows.map(openOf)
    },
    async countOpen({ workspaceId, id }) {
      const { rows } = await pool.query<{ asked: number; answered: number }>(countStatement, [workspaceId, id])
      return rows[0] ?? { asked: 0, answered: 0 }
    },
    async answer({ workspaceId, id }, sample, { completion, costNano }) {
      const text = completion === null ? null : JSON.stringify(completion)
      await pool.query(answerStatement, [workspaceId, id, ...keyOf(sample), text, String(costNano)])
    },
    async judge({ workspaceId, id }, sample, { verdict, secondVerdict, costNano }) {
      await pool.query(judgeStatement, [workspaceId, id, ...keyOf(sample), verdict, secondVerdict, String(costNano)])
    },
    async samples({ workspaceId, id }, part) {
      const { rows } = await pool.query<JudgedRow>(samplesStatement, [workspaceId, id, part])
      return rows.map(judgedOf)
    },
    async keep({ workspaceId, id }, kept) {
      const rows = kept.map(({ promptIndex, sampleIndex, auditId }) => [promptIndex, sampleIndex, auditId])
      await pool.query(keepStatement, [workspaceId, id, JSON.stringify(rows)])
    },
    async prompts({ workspaceId, id }) {
      const { rows } = await pool.query<{ prompt: string }>(promptsStatement, [workspaceId, id])
      return rows.map(({ prompt }) => JSON.parse(prompt) as RoundPrompt)
    },
    async costs({ workspaceId, id }) {
      const { rows } = await pool.query<CostRow>(costsStatement, [workspaceId, id])
      const [row] = rows
      return {
        samplesNano: BigInt(row?.samples ?? 0),
        beforeNano: BigInt(row?.before ?? 0),
        jobNano: BigInt(row?.job ?? 0),
      }
    },
    async version({ workspaceId, id }) {
      const { rows } = await pool.query<TrainedVersion>(versionStatement, [workspaceId, id])
      return rows[0] ?? null
    },
    async servedAs({ workspaceId, id }) {
      const { rows } = await pool.query<Pick<TrainedVersion, 'model'>>(servedStatement, [workspaceId, id])
      return rows[0]?.model ?? null
    },
    async addAfter({ workspaceId, id }) {
      await pool.query(afterStatement, [workspaceId, id, heldOutSamples])
    },
  }
}

function keyOf({ part, promptIndex, sampleIndex }: SampleKey): readonly (string | number)[] {
  return [part, promptIndex, sampleIndex]
}

interface KeyRow {
  readonly part: SampleKey['part']
  readonly prompt_index: number
  readonly sample_index: number
  readonly completion: string | null
}

interface OpenRow extends KeyRow {
  readonly prompt: string
}

interface JudgedRow extends KeyRow {
  readonly accepted: boolean | null
}

interface CostRow {
  readonly samples: string
  readonly before: string
  readonly job: string
}

function openOf({ part, prompt_index, sample_index, completion, prompt }: OpenRow): OpenSample {
  return {
    part,
    promptIndex: prompt_index,
    sampleIndex: sample_index,
    completion: completion === null ? null : JSON.parse(completion),
    prompt: JSON.parse(prompt) as RoundPrompt,
  }
}

function judgedOf({ part, prompt_index, sample_index, completion, accepted }: JudgedRow): JudgedSample {
  return {
    part,
    promptIndex: prompt_index,
    sampleIndex: sample_index,
    completion: completion === null ? null : JSON.parse(completion),
    accepted,
  }
}

const ofRound = 's.workspace_id = $1 AND s.round_id = $2'
const ofSample = `${ofRound} AND s.part = $3 AND s.prompt_index = $4 AND s.sample_index = $5`

const openStatement = `
  SELECT s.part, s.prompt_index, s.sample_index, s.completion, p.prompt FROM raft_sample s
  JOIN raft_prompt p ON p.round_id = s.round_id AND p.prompt_index = s.prompt_index AND p.workspace_id = s.workspace_id
  WHERE ${ofRound} AND s.state = $3 ORDER BY s.part DESC, s.prompt_index, s.sample_index LIMIT $4`

const countStatement = `
  SELECT (count(*) FILTER (WHERE s.state = 'asked'))::int AS asked, (count(*) FILTER (WHERE s.state = 'answered'))::int AS answered
  FROM raft_sample s WHERE ${ofRound} AND s.state IN ('asked', 'answered')`

const answerStatement = `
  UPDATE raft_sample s SET completion = $6, state = CASE WHEN $6::text IS NULL THEN 'refused' ELSE 'answered' END,
    cost_nano = s.cost_nano + $7
  WHERE ${ofSample} AND s.state = 'asked'`

const judgeStatement = `
  UPDATE raft_sample s SET verdict = $6, second_verdict = $7, state = 'judged', cost_nano = s.cost_nano + $8
  WHERE ${ofSample} AND s.state = 'answered'`

/** Accepted by every judge; null when the one that decides gave no verdict. */
const samplesStatement = `
  SELECT s.part, s.prompt_index, s.sample_index, s.completion,
    CASE WHEN s.verdict = 'fail' OR s.second_verdict = 'fail' THEN false
      WHEN s.verdict = 'pass' AND (json_array_length(r.judges::json) = 1 OR s.second_verdict = 'pass') THEN true
    END AS accepted
  FROM raft_sample s JOIN raft_round r ON r.id = s.round_id AND r.workspace_id = s.workspace_id
  WHERE ${ofRound} AND s.part = $3 ORDER BY s.prompt_index, s.sample_index`

const keepStatement = `
  UPDATE raft_sample s SET audit_id = (k.row ->> 2)::uuid FROM json_array_elements($3::json) AS k(row)
  WHERE ${ofRound} AND s.part = 'train' AND s.prompt_index = (k.row ->> 0)::int AND s.sample_index = (k.row ->> 1)::int`

const promptsStatement = `
  SELECT s.prompt FROM raft_prompt s WHERE ${ofRound} ORDER BY s.prompt_index`

const costsStatement = `
  SELECT coalesce(sum(s.cost_nano), 0)::text AS samples,
    coalesce(sum(s.cost_nano) FILTER (WHERE s.part = 'before'), 0)::text AS before,
    (SELECT coalesce(sum(j.cost_nano), 0) FROM training_job j WHERE j.workspace_id = $1 AND j.producer_id = $2)::text AS job
  FROM raft_sample s WHERE ${ofRound}`

const versionStatement = `
  SELECT v.id, coalesce(v.served_as, v.name) AS model FROM model_version v WHERE v.workspace_id = $1 AND v.job_id = $2
  ORDER BY v.step DESC LIMIT 1`

const servedStatement = `
  SELECT coalesce(v.served_as, v.name) AS model FROM model_version v
    LEFT JOIN pool_version p ON p.version_id = v.id AND p.workspace_id = v.workspace_id AND p.state = 'ready'
  WHERE v.workspace_id = $1 AND v.id = $2 AND (v.served_as IS NOT NULL OR p.version_id IS NOT NULL)`

const afterStatement = `
  INSERT INTO raft_sample (round_id, part, prompt_index, sample_index, workspace_id)
  SELECT s.round_id, 'after', s.prompt_index, i.index, s.workspace_id
  FROM raft_prompt s CROSS JOIN generate_series(0, $3::int - 1) AS i(index)
  WHERE ${ofRound} AND s.held_out
  ON CONFLICT DO NOTHING`
