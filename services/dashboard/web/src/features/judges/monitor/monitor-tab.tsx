import { Button, NumberInput, Switch } from '@mantine/core'
import { getCriterion, listCriteria, monitorCriterion } from '@ratchet/contracts/criteria'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { Facts } from '../../../kit/facts.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { Card, Column } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { toast } from '../../../kit/toast.tsx'
import { useJudge } from '../detail/judge-context.ts'
import { detectableText } from '../judge-words.ts'
import { WeekLine } from './week-line.tsx'

/** How much of the new traffic is judged, what it may cost, and whether the judge has drifted. */
export function MonitorTab(): ReactNode {
  const judge = useJudge()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [enabled, setEnabled] = useState(judge.online_enabled)
  const [percent, setPercent] = useState<number | string>(judge.online_percent)
  const [cap, setCap] = useState<number | string>(judge.online_cap_usd)
  const body = { online_enabled: enabled, online_percent: Number(percent), online_cap_usd: Number(cap) }
  const check = monitorCriterion.body.safeParse(body)
  const problems = Object.fromEntries((check.error?.issues ?? []).map(({ path, message }) => [path[0], message]))
  const act = useAct(monitorCriterion, {
    changes: [getCriterion, listCriteria],
    onDone: () => toast('The monitor is saved.'),
  })
  return (
    <>
      <Card title="Monitor">
        <Column>
          <Switch
            label="Judge new traffic"
            checked={enabled}
            disabled={reason !== null}
            onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
          />
          <NumberInput
            label="Share"
            suffix=" %"
            min={0}
            max={100}
            value={percent}
            disabled={reason !== null}
            error={problems.online_percent}
            onChange={setPercent}
          />
          <WeekLine percent={Number(percent) || 0} />
          <NumberInput
            label="At most each week"
            description="For the monitor, gates and the check for drift together; 0 for no limit."
            prefix="$"
            min={0}
            decimalScale={6}
            value={cap}
            disabled={reason !== null}
            error={problems.online_cap_usd}
            onChange={setCap}
          />
          {act.error && <ErrorState error={act.error} />}
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button
                disabled={disabled || !check.success}
                loading={act.isPending}
                onClick={() => act.mutate({ params: { id: judge.id }, body })}
              >
                Save
              </Button>
            )}
          </NotPermitted>
        </Column>
      </Card>
      <Card title="This week">
        <Facts
          facts={[
            ['Spent', moneyText(microOfUsd(judge.online_spent_usd))],
            ['On graded rows that are judged again', moneyText(microOfUsd(judge.drift_panel_spent_usd))],
            ['Drift', judge.drift_status === 'ok' ? 'none found' : (judge.drift_reason ?? 'flagged')],
            ['Drop that it can find', detectableText(judge.drift_detectable)],
            ...(judge.drift_cause === null ? [] : ([['What changed', judge.drift_cause]] as const)),
            ['Last check', <TimeText key="at" at={judge.drift_checked_at} />],
          ]}
        />
      </Card>
    </>
  )
}
