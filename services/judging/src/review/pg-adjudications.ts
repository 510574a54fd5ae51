import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import { itemKeyOf } from '../labels/pg-grading-frames.ts'

/** An item on which people disagree. */
export interface OpenDecision {
  /** UUID of the first grade of the item. */
  readonly id: string
  readonly criterionId: string | null
  readonly snapshotId: string
  readonly grades: readonly { readonly label: Verdict; readonly rationale: string | null }[]
}

export interface DecisionFilter {
  readonly workspaceId: string
  /** Nobody decides about an item that they graded. */
  readonly graderId: string
  /** UUID; null for all judges. */
  readonly criterionId: string | null
  /** UUID of a first grade; null for all items. */
  readonly id: string | null
  readonly limit: number
  readonly offset: number
}

export type DecisionReads = ReturnType<typeof createPgAdjudications>

export function createPgAdjudications(pool: Pool) {
  return {
    /** The items that a person may decide, oldest first. A page with large content ends early. */
    async list({ workspaceId, graderId, criterionId, id, limit, offset }: DecisionFilter) {
      const { rows } = await pool.query<DecisionRow>(openStatement, [
        workspaceId,
        graderId,
        criterionId,
        id,
        limit,
        offset,
        pageBytes,
      ])
      return { total: rows[0]?.total ?? 0, decisions: rows.map(decisionOf) }
    },
    /** Whether the grades of an item have a majority. */
    async isSettled(workspaceId: string, labelId: string): Promise<boolean> {
      const { rows } = await pool.query<{ settled: boolean }>(settledStatement, [workspaceId, labelId])
      return rows[0]?.settled === true
    },
  }
}

/** Bytes of content after which a page ends. */
export const pageBytes = 16 * mebibyte

interface DecisionRow {
  readonly id: string
  readonly criterion_id: string | null
  readonly snapshot_id: string
  readonly grades: { readonly label: Verdict; readonly rationale: string | null }[]
  readonly total: number
}

function decisionOf({ id, criterion_id: criterionId, snapshot_id: snapshotId, grades }: DecisionRow): OpenDecision {
  return { id, criterionId, snapshotId, grades }
}

/**
 * Ties of the grades in force, and blind grades of rounds about which their person changed their mind after the verdicts
 * were read, until another person has graded the item. The order of the grades tells nothing about their people. Sizes are
 * known without reading content.
 */
const openStatement = `
  WITH changed AS (
    SELECT l.workspace_id, l.criterion_id, l.item_key, g.label::verdict AS label, g.rationale
    FROM review_grade g JOIN review_item i ON i.id = g.item_id AND i.workspace_id = $1
    JOIN review_round r ON r.id = g.round_id AND r.workspace_id = $1
    JOIN grading_frame_item f ON f.workspace_id = $1 AND f.frame_id = i.round_id AND f.log_id = i.log_id
    JOIN label l ON l.workspace_id = $1 AND l.criterion_id = r.criterion_id AND l.item_key = ${itemKeyOf('f')}
      AND l.grader_id = g.grader_id::text AND l.superseded_by IS NULL
    WHERE g.workspace_id = $1 AND NOT g.blind AND g.label <> 'unsure' AND i.kind IN ('new', 'double')
      AND g.label <> l.label::text
      AND NOT EXISTS (SELECT 1 FROM review_grade o WHERE o.workspace_id = $1 AND o.item_id = g.item_id AND o.position > g.position)
      AND NOT EXISTS (SELECT 1 FROM label o WHERE o.workspace_id = $1 AND o.criterion_id = l.criterion_id
        AND o.item_key = l.item_key AND o.grader_id <> l.grader_id AND o.created_at >= g.created_at)
  ), said AS (
    SELECT criterion_id, item_key, label, rationale, false AS changed FROM label
    WHERE workspace_id = $1 AND superseded_by IS NULL
    UNION ALL SELECT criterion_id, item_key, label, rationale, true FROM changed
  ), disputed AS (
    SELECT criterion_id, item_key,
      json_agg(json_build_object('label', label, 'rationale', rationale) ORDER BY label, md5(coalesce(rationale, ''))) AS grades
    FROM said WHERE $3::uuid IS NULL OR criterion_id = $3
    GROUP BY criterion_id, item_key
    HAVING bool_or(changed)
      OR count(*) FILTER (WHERE label = 'fail') = count(*) FILTER (WHERE label = 'pass')
  ), open AS (
    SELECT first.id, d.criterion_id, first.snapshot_id, d.grades, first.created_at FROM disputed d
    JOIN LATERAL (
      SELECT l.id, l.snapshot_id, l.created_at FROM label l
      WHERE l.workspace_id = $1 AND l.item_key = d.item_key AND l.criterion_id IS NOT DISTINCT FROM d.criterion_id
        AND l.superseded_by IS NULL
      ORDER BY l.created_at, l.id LIMIT 1) first ON true
    WHERE NOT EXISTS (SELECT 1 FROM label own WHERE own.workspace_id = $1 AND own.item_key = d.item_key
      AND own.criterion_id IS NOT DISTINCT FROM d.criterion_id AND own.grader_id = $2)
  ), page AS (
    SELECT id, criterion_id, snapshot_id, grades, created_at, (count(*) OVER ())::int AS total FROM open
    WHERE $4::uuid IS NULL OR id = $4 ORDER BY created_at, id LIMIT $5 OFFSET $6
  ), measured AS (
    SELECT p.*, sum(b.bytes) OVER (ORDER BY p.created_at, p.id) - b.bytes AS bytes_before FROM page p
    JOIN label_snapshot s ON s.id = p.snapshot_id AND s.workspace_id = $1
    CROSS JOIN LATERAL (
      SELECT octet_length(s.messages) + octet_length(s.response) + coalesce(octet_length(s.tools), 0)
        + octet_length(p.grades::text) AS bytes) b
  )
  SELECT id, criterion_id, snapshot_id, grades, total FROM measured WHERE bytes_before <= $7
  ORDER BY created_at, id`

const settledStatement = `
  SELECT count(*) FILTER (WHERE l.label = 'fail') <> count(*) FILTER (WHERE l.label = 'pass') AS settled
  FROM label l JOIN label one ON one.id = $2 AND one.workspace_id = $1
  WHERE l.workspace_id = $1 AND l.item_key = one.item_key AND l.criterion_id IS NOT DISTINCT FROM one.criterion_id
    AND l.superseded_by IS NULL`
