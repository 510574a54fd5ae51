import { Button, Group, NumberInput } from '@mantine/core'
import { isRunOver } from '@ratchet/contracts/calibrations'
import { getScan, type Scan, startScan } from '@ratchet/contracts/scans'
import { listLatestScans } from '@ratchet/contracts/session-criteria'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useSegmentLabels } from '../../../api/use-segment-labels.ts'
import { Facts } from '../../../kit/facts.tsx'
import { billText, microOfUsd, moneyText, nanoOfUsd } from '../../../kit/money.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { useJudge } from '../detail/judge-context.ts'
import { usePolledRun } from '../use-polled-run.ts'

const route = getRouteApi('/w/$slug/judges/$judge/scans')
type Segment = Scan['by_segment'][number]

/** How many answers pass, by the judge and corrected for its errors. */
export function ScansTab(): ReactNode {
  const { scan } = route.useSearch()
  return (
    <>
      <StartCard />
      {scan === undefined ? <LatestScan /> : <ScanCard key={scan} title="Result" scanId={scan} />}
    </>
  )
}

/** What the newest scan found, for who comes back without its address. */
function LatestScan(): ReactNode {
  const { id } = useJudge()
  const scans = useEndpoint(listLatestScans, {}, { topics: ['judges'] })
  return (
    <Loaded query={scans}>
      {({ data }) => {
        const latest = data.find(({ criterion_id: criterion }) => criterion === id)
        return latest === undefined ? null : <ScanCard title="The newest result" scanId={latest.id} />
      }}
    </Loaded>
  )
}

function StartCard(): ReactNode {
  const { id } = useJudge()
  const navigate = useNavigate({ from: '/w/$slug/judges/$judge/scans' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [size, setSize] = useState<number | string>(200)
  const body = { sample_count: Number(size) }
  const estimate = useAct(startScan)
  const act = useAct(startScan, {
    onDone: (reply) => {
      if (reply.object === 'criterion.scan') void navigate({ search: { scan: reply.id } })
    },
  })
  const isValid = startScan.body.safeParse(body).success
  const found = estimate.data?.object === 'criterion.scan_estimate' ? estimate.data : null
  return (
    <Card title="Scan traffic">
      <Group gap={12} align="flex-end">
        <NumberInput label="Sample" min={1} max={2_000} value={size} onChange={setSize} />
        <NotPermitted reason={reason}>
          {(disabled) => (
            <>
              <Button
                variant="default"
                disabled={disabled || !isValid}
                loading={estimate.isPending}
                onClick={() => estimate.mutate({ params: { id }, body: { ...body, dry_run: true } })}
              >
                What does it cost?
              </Button>
              <Button
                disabled={disabled || !isValid}
                loading={act.isPending}
                onClick={() => act.mutate({ params: { id }, body })}
              >
                Scan
              </Button>
            </>
          )}
        </NotPermitted>
      </Group>
      {found !== null && (
        <p role="status">
          {count(found.sample_count)} of {count(found.matched)} would be judged for about{' '}
          {moneyText(microOfUsd(found.estimated_cost_usd))}.
        </p>
      )}
      {(act.error ?? estimate.error) && <ErrorState error={act.error ?? estimate.error} />}
    </Card>
  )
}

interface ScanCardProps {
  readonly title: string
  readonly scanId: string
}

function ScanCard({ title, scanId }: ScanCardProps): ReactNode {
  const { id } = useJudge()
  const scan = useEndpoint(getScan, { params: { id, scan_id: scanId } }, { topics: [`scan:${scanId}`] })
  usePolledRun(scan)
  return (
    <Card title={title}>
      <Loaded query={scan}>{(data) => <ScanResult scan={data} />}</Loaded>
    </Card>
  )
}

const methods = {
  gold_only: 'from the grades alone',
  ppi_plus_plus: 'from verdicts and grades together (PPI++)',
  rogan_gladen: 'from the known error rates (Rogan and Gladen)',
} as const

function ScanResult({ scan }: { readonly scan: Scan }): ReactNode {
  const labels = useSegmentLabels()
  const { status, progress, error, raw_pass_rate: raw, method, judged, matched, cost_usd: usd } = scan
  if (!isRunOver({ status })) return <Progress label="Judging" {...progress} />
  if (status === 'FAILED') return <Notice state="wrong">{error ?? 'The scan failed.'}</Notice>
  return (
    <>
      <Facts
        facts={[
          ['Judged', `${count(judged)}${matched === null ? '' : ` of ${count(matched)}`}`],
          ['Pass rate by the judge', raw === null ? 'none' : percent(raw)],
          ['Corrected pass rate', correctedText(scan)],
          ['Method', method === null ? 'none: too little is known about the errors of the judge' : methods[method]],
          ['Cost', billText(nanoOfUsd(usd))],
          ['Finished', <TimeText key="at" at={scan.finished_at} />],
        ]}
      />
      {scan.by_segment.length > 1 && (
        <DataTable
          label="By segment"
          rows={scan.by_segment}
          rowKey={({ segment }) => segment}
          columns={[
            { id: 'segment', header: 'Segment', cell: ({ segment }: Segment) => labels.get(segment) ?? segment },
            { id: 'judged', header: 'Judged', isNumber: true, cell: (row: Segment) => count(row.judged) },
            { id: 'raw', header: 'By the judge', isNumber: true, cell: (row: Segment) => percent(row.raw_pass_rate) },
            { id: 'corrected', header: 'Corrected', isNumber: true, cell: correctedText },
          ]}
        />
      )}
    </>
  )
}

function correctedText({
  corrected_pass_rate: rate,
  corrected_ci: interval,
}: Pick<Scan, 'corrected_pass_rate' | 'corrected_ci'>): string {
  if (rate === null) return 'not known'
  return interval === null ? percent(rate) : `${percent(rate)} (${percent(interval[0])} to ${percent(interval[1])})`
}
