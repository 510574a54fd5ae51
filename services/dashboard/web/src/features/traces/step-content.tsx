import { Anchor } from '@mantine/core'
import { getLog } from '@ratchet/contracts/logs'
import type { TraceSpan } from '@ratchet/contracts/traces'
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
  /** The span, when the row is not a model call. */
  readonly span: TraceSpan | undefined
}

/** The content of the open step. That of a model call is read when it is opened. */
export function StepContent({ row, span }: StepContentProps): ReactNode {
  if (row === undefined) return <Card>Choose a step to read it; j and k walk through them.</Card>
  return (
    <Card title={row.label}>
      {span === undefined ? <CallContent id={row.id} /> : <SpanContent span={span} row={row} />}
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

function SpanContent({ span, row }: { readonly span: TraceSpan; readonly row: TraceRow }): ReactNode {
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
      <CodeEditor label="Attributes" language="json" value={JSON.stringify(span.attributes, null, 2)} />
    </div>
  )
}
