import { Stack, Title } from '@mantine/core'
import type { CurationSummary } from '@ratchet/contracts/datasets'
import type { DatasetPreview } from '@ratchet/contracts/log-overview'
import { getLog } from '@ratchet/contracts/logs'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { ScrolledConversation } from '../../../kit/conversation/conversation.tsx'
import { LogLink } from '../../../kit/item-link.tsx'
import { count, countOf } from '../../../kit/numbers.ts'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { DropsBar } from '../../../pictures/drops-bar.tsx'
import { type DropReason, partsOf, reasonText } from './curation-values.ts'
import { Leakage } from './leakage.tsx'

interface PreviewPartProps {
  readonly preview: DatasetPreview
  /** The judge whose verdicts choose; null: none. */
  readonly criterionId: string | null
  /** Whether it is the answer to an earlier choice. */
  readonly isOld: boolean
}

/** What a curation would keep and drop, and examples of each reason. */
export function PreviewPart({ preview, criterionId, isOld }: PreviewPartProps): ReactNode {
  const [open, setOpen] = useState<string | null>(null)
  const { summary, dropped_log_ids: ids } = preview
  const shown = open === null ? undefined : ids[open as DropReason]
  if (summary.matched === 0) return <p className="dimmed">No exchange of the log matches.</p>
  return (
    <div style={{ opacity: isOld ? 0.6 : 1 }} aria-busy={isOld}>
      <Stack gap={12}>
        <p style={{ margin: 0 }} data-testid="drops">
          {sumText(summary)}
        </p>
        {criterionId !== null && summary.dropped.judge_unscored > 0 && (
          <Unjudged summary={summary} criterionId={criterionId} />
        )}
        <DropsBar
          title="Exchanges that match"
          parts={partsOf(summary)}
          current={open}
          onOpen={(id) => setOpen(id === open ? null : id)}
        />
        {open !== null && shown !== undefined && (
          <DroppedExamples reason={open as DropReason} ids={shown} total={summary.dropped[open as DropReason]} />
        )}
        <p className="dimmed" style={{ margin: 0 }}>
          {countOf(summary.train_count, 'example')} for training, {count(summary.eval_count)} held out;{' '}
          {countOf(summary.folded_turns, 'exchange')} became earlier turns of{' '}
          {countOf(summary.folded_conversations, 'conversation')}.
        </p>
        <Leakage leakage={summary.leakage} />
      </Stack>
    </div>
  )
}

interface UnjudgedProps {
  readonly summary: CurationSummary
  readonly criterionId: string
}

function Unjudged({ summary, criterionId }: UnjudgedProps): ReactNode {
  const { matched, kept, dropped } = summary
  const { judge_unscored: unjudged } = dropped
  const slug = useWorkspaceSlug()
  const link = (
    <Link to="/w/$slug/judges/$judge/scans" params={{ slug, judge: criterionId }} search={{}}>
      Scan the log
    </Link>
  )
  const isUnused = kept === 0 && dropped.judge_failed === 0
  return (
    <Notice state="open" action={link}>
      {isUnused
        ? 'The judge has judged none of these exchanges. It has to scan them before it can choose.'
        : `The judge has no verdict on ${count(unjudged)} of the ${count(matched)} exchanges, so they are left out.`}
    </Notice>
  )
}

function sumText({ matched, kept, dropped }: CurationSummary): string {
  const lost = (Object.entries(dropped) as [DropReason, number][]).filter(([, number]) => number > 0)
  const parts = [`${count(kept)} kept`, ...lost.map(([reason, number]) => `${count(number)} ${reasonText(reason)}`)]
  return `${count(matched)} matched = ${parts.join(' + ')}`
}

interface DroppedExamplesProps {
  readonly reason: DropReason
  readonly ids: readonly string[]
  readonly total: number
}

function DroppedExamples({ reason, ids, total }: DroppedExamplesProps): ReactNode {
  return (
    <section aria-label={`Dropped: ${reasonText(reason)}`}>
      <Title order={3} size="h5">
        {ids.length < total ? `The first ${ids.length} of ${count(total)}` : `All ${count(total)}`}:{' '}
        {reasonText(reason)}
      </Title>
      <Stack gap={16} mt={8}>
        {ids.map((id) => (
          <DroppedExample key={id} id={id} />
        ))}
      </Stack>
    </section>
  )
}

function DroppedExample({ id }: { readonly id: string }): ReactNode {
  const log = useEndpoint(getLog, { params: { id } })
  return (
    <div>
      <LogLink id={id} />
      <Loaded query={log}>
        {({ messages, response, finish_reason: reason }) => (
          <>
            <p className="dimmed">It ended with {reason ?? 'no reason'}.</p>
            <ScrolledConversation messages={messages} answer={response} label={`Log entry ${id}`} />
          </>
        )}
      </Loaded>
    </div>
  )
}
