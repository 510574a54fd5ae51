import { Anchor, Stack } from '@mantine/core'
import { exportTrace, getTrace } from '@ratchet/contracts/traces'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { z } from 'zod'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { DownloadLink } from '../../kit/download-link.tsx'
import { microOfUsd, moneyText } from '../../kit/money.ts'
import { count, countOf } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { duration } from '../../kit/time.ts'
import { CopySample } from './copy-sample.tsx'
import { RunGrade } from './run-grade.tsx'
import { StepContent } from './step-content.tsx'
import { StepTree } from './step-tree.tsx'
import { traceRows } from './trace-tree.ts'
import styles from './traces.module.css'

const route = getRouteApi('/w/$slug/traces/$id')

/** One run: its steps as a tree and in time, and the content of the step that is open. */
export function TracePage(): ReactNode {
  const { slug, id } = route.useParams()
  const trace = useEndpoint(
    getTrace,
    { params: { trace_id: id }, query: { content: 'none' } },
    { topics: [`trace:${id}`] },
  )
  return (
    <Page
      title="Trace"
      lead={<span className="code">{id}</span>}
      above={
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/traces" params={{ slug }} />}>
          All traces
        </Anchor>
      }
      actions={
        <>
          <CopySample lastCallId={trace.data?.data.at(-1)?.id} />
          <DownloadLink
            path={exportTrace.path.replace(':trace_id', encodeURIComponent(id))}
            file="trace.json"
            detail="The conversation of its last step, and every step"
          >
            Export
          </DownloadLink>
        </>
      }
    >
      <Loaded query={trace}>{(data) => <TraceParts trace={data} />}</Loaded>
    </Page>
  )
}

type TraceReply = z.output<typeof getTrace.reply>

function TraceParts({ trace }: { readonly trace: TraceReply }): ReactNode {
  const { step, judge } = route.useSearch()
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const rows = useMemo(() => traceRows(trace.data, trace.spans), [trace])
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({
      to: '/w/$slug/traces/$id',
      params: { slug, id: trace.id },
      search: (before) => ({ ...before, ...changed }),
      replace: true,
    })
  const current = rows.find(({ id }) => id === step)
  const span = current?.kind === 'span' ? trace.spans.find(({ span_id: id }) => id === step) : undefined
  return (
    <Stack gap={12}>
      <div className="dimmed">{factsOf(trace)}</div>
      <div className={styles.layout}>
        <StepTree rows={rows} currentId={current?.id} onOpen={(id) => change({ step: id })} />
        <div className={styles.side}>
          <RunGrade trace={trace} judgeId={judge} onJudge={(id) => change({ judge: id })} />
          <StepContent row={current} traceId={trace.id} span={span} />
        </div>
      </div>
    </Stack>
  )
}

function factsOf(trace: TraceReply): string {
  const { steps, spans, models, total_tokens: tokens, cost_usd: usd, error_count: errors, completed } = trace
  const facts = [
    `${countOf(steps, 'model call')}, ${countOf(spans.length, 'other span')}`,
    models.join(', '),
    `${count(tokens)} tokens`,
    moneyText(microOfUsd(usd)),
    duration(Date.parse(trace.last_at) - Date.parse(trace.first_at)),
    errors > 0 ? `${errors} failed` : '',
    completed ? 'completed' : 'still open',
  ]
  return facts.filter((fact) => fact !== '').join(' · ')
}
