import { Button, Group } from '@mantine/core'
import { type Calibration, isRunOver, listCalibrations } from '@ratchet/contracts/calibrations'
import { type Criterion, getCriterion } from '@ratchet/contracts/criteria'
import type { LiveTopic } from '@ratchet/contracts/live-topic'
import { listRounds } from '@ratchet/contracts/review-rounds'
import { estimateCalibration } from '@ratchet/contracts/session-criteria'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { useEstimate } from '../../../api/use-estimate.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Facts } from '../../../kit/facts.tsx'
import { addMoney, microOfUsd, moneyText } from '../../../kit/money.ts'
import { count, rateIn } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { duration } from '../../../kit/time.ts'
import { useJudge } from '../detail/judge-context.ts'
import { JudgeInterval } from '../judge-intervals.tsx'
import { missingOf } from '../judge-words.ts'
import styles from '../judges.module.css'
import { usePolledRun } from '../use-polled-run.ts'
import { CalibrateDialog } from './calibrate-dialog.tsx'
import { CalibrationHistory } from './calibration-history.tsx'
import { GradingPlanCard } from './grading-plan-card.tsx'

/** What the grades prove about the judge, and what is missing. */
export function EvidenceTab(): ReactNode {
  const judge = useJudge()
  const { id } = judge
  const calibrations = useCalibrations(id)
  const plan = useEstimate(estimateCalibration, { params: { id }, body: {} }).data?.plan
  const [asks, setAsks] = useState(false)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  useKey('create', () => setAsks(true), { enabled: reason === null })
  const ceiling = plan?.grader_ceiling?.ceiling
  return (
    <>
      <Card title="Proven so far" actions={<Actions reason={reason} onCalibrate={() => setAsks(true)} />}>
        <div className={styles.sides}>
          {(['tpr', 'tnr'] as const).map((side) => (
            <div key={side} className={styles.side}>
              <h3>
                {side === 'tpr' ? 'Fails found' : 'Passes kept'}{' '}
                {judge[side] !== null && rateIn(judge[side], judge[`${side}_ci`])}
              </h3>
              <JudgeInterval judge={judge} side={side} ceiling={ceiling} looksAhead />
            </div>
          ))}
        </div>
        {judge.tpr !== null && (
          <p className="dimmed">
            The pale band is where a rate will be if the next 20 graded answers of its kind agree with the judge.
            {ceiling !== null && ceiling !== undefined && ' The dotted line is how often people agree with each other.'}
          </p>
        )}
        <ul className={styles.list}>
          {missingOf(judge).map((text) => (
            <li key={text}>{text}</li>
          ))}
          {plan?.grader_ceiling && plan.grader_ceiling.ci[1] < plan.bar && (
            <li>People disagree so often that no number of grades proves this judge. Make the prompt sharper.</li>
          )}
        </ul>
        <Cost calibrations={calibrations.rows} />
      </Card>
      {judge.status === 'draft' && !judge.can_act && <GradingPlanCard />}
      <CalibrationHistory list={calibrations} />
      {asks && <CalibrateDialog judge={judge} onClose={() => setAsks(false)} />}
    </>
  )
}

/** The calibrations; the judge is read again when one has ended. */
function useCalibrations(id: string) {
  const queries = useQueryClient()
  const known = useList(listCalibrations, { params: { id }, pageSize: 20 })
  const topics: LiveTopic[] = ['judges', ...known.rows.filter(isRunning).map(topicOf)]
  const list = useList(listCalibrations, { params: { id }, pageSize: 20, topics })
  const running = list.rows.filter(isRunning).length
  usePolledRun({ data: { status: running > 0 ? 'RUNNING' : 'DONE' }, refetch: list.refetch })
  useEffect(() => {
    if (running === 0) void queries.invalidateQueries({ queryKey: [getCriterion.path] })
  }, [running, queries])
  return list
}

function topicOf({ id }: Calibration): LiveTopic {
  return `calibration:${id}`
}

function isRunning(calibration: Calibration): boolean {
  return !isRunOver(calibration)
}

function Actions({
  reason,
  onCalibrate,
}: {
  readonly reason: string | null
  readonly onCalibrate: () => void
}): ReactNode {
  const slug = useWorkspaceSlug()
  const { id } = useJudge()
  return (
    <Group gap={8}>
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/w/$slug/review" params={{ slug }} search={{ criterion_id: id }} />}
      >
        Grade
      </Button>
      <NotPermitted reason={reason}>
        {(disabled) => (
          <Button disabled={disabled} onClick={onCalibrate}>
            Calibrate
          </Button>
        )}
      </NotPermitted>
    </Group>
  )
}

/** What the evidence cost: money for verdicts, time of people. */
function Cost({ calibrations }: { readonly calibrations: readonly Calibration[] }): ReactNode {
  const judge = useJudge()
  const rounds = useEndpoint(listRounds, { query: { criterion_id: judge.id, limit: 100 } }).data?.data ?? []
  const usd = addMoney([...calibrations, ...rounds].map((each) => microOfUsd(each.cost_usd)))
  const people = rounds.reduce((sum, { shown_ms: ms }) => sum + ms, 0)
  return (
    <Facts
      facts={[
        ['Grades of the last calibration', judge.alignment_n === null ? 'none' : count(judge.alignment_n)],
        ['Same verdict when asked again', repeatabilityText(judge)],
        ['Looks', count(calibrations[0]?.looks ?? 0)],
        ['Evidence for automatic gates', evidenceText(judge.e_value_tpr, judge.e_value_tnr, judge.e_value_needed)],
        ['Cost of the evidence', people === 0 ? moneyText(usd) : `${moneyText(usd)} and ${duration(people)} of people`],
      ]}
    />
  )
}

function repeatabilityText({ repeatability: known }: Pick<Criterion, 'repeatability'>): string {
  if (known === null) return 'not measured'
  return `${rateIn(known.rate, known.ci)}, of ${count(known.rows)} rows that were judged twice`
}

function evidenceText(tpr: number | null, tnr: number | null, needed: number): string {
  const text = (value: number | null) =>
    value === null ? 'none' : value >= 100 ? count(Math.floor(value)) : value.toFixed(1)
  return `fails ${text(tpr)}, passes ${text(tnr)}; ${needed} of each is needed`
}
