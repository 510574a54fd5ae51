import { Anchor } from '@mantine/core'
import { getLog } from '@ratchet/contracts/logs'
import { getSpan, type TraceSpan } from '@ratchet/contracts/traces'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { Conversation } from '../../kit/conversation/conversation.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Card } from '../../kit/page.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { CodeEditor } from '../../kit/text/lazy.tsx'
import { duration, exactTime } from '../../kit/time.ts'
import type { TraceRow } from './trace-tree.ts'
import styles from './traces.module.css'

interface StepContentProps {
  readonly row: TraceRow | undefined
  readonly traceId: string
  /** The span, when the row is not a model call. */
  readonly span: TraceSpan | undefined
}

/** The content of the open step, which is read when it is opened. */
export function StepContent({ row, traceId, span }: StepContentProps): ReactNode {
  if (row === undefined) return <Card>Choose a step to read it; j and k walk through them.</Card>
  return (
    <Card title={row.label}>
      {span === undefined ? <CallContent id={row.id} /> : <SpanContent traceId={traceId} span={span} row={row} />}
    </Card>
  )
}

function CallContent({ id }: { readonly id: string }): ReactNode {
  const slug = useWorkspaceSlug()
  const entry = useEndpoint(getLog, { params: { id } })
  return (
    <Loaded query={entry}>
      {({ messages, response, redaction }) => (
        <div className={styles.side}>
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/w/$slug/logs" params={{ slug }} search={{ log: id }} />}
          >
            Open in the logs
          </Anchor>
          <Conversation messages={[...messages, response]} kinds={redaction.kinds} />
        </div>
      )}
    </Loaded>
  )
}

interface SpanContentProps {
  readonly traceId: string
  readonly span: TraceSpan
  readonly row: TraceRow
}

function SpanContent({ traceId, span, row }: SpanContentProps): ReactNode {
  const whole = useEndpoint(getSpan, { params: { trace_id: traceId, span_id: span.span_id } })
  return (
    <div className={styles.side}>
      <Facts
        facts={[
          ['Kind', span.kind],
          ['State', span.status],
          ['Began', exactTime(span.started_at)],
          ['Took', duration(row.endMs - row.startMs)],
        ]}
      />
      <Loaded query={whole}>
        {({ attributes }) => (
          <CodeEditor label="Attributes" language="json" value={JSON.stringify(attributes, null, 2)} />
        )}
      </Loaded>
    </div>
  )
}
