import { Tabs } from '@mantine/core'
import { getLog, type LogEntry, type LogEntryWithFeedback } from '@ratchet/contracts/logs'
import type { GradeMark } from '@ratchet/contracts/session-labels'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { useKey } from '../../keys/key-context.ts'
import { Conversation } from '../../kit/conversation/conversation.tsx'
import { ItemGrade } from '../../kit/item-grade.tsx'
import { SidePanel } from '../../kit/side-panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { CodeEditor } from '../../kit/text/lazy.tsx'
import { FeedbackList } from './feedback-list.tsx'
import { LogFacts } from './log-facts.tsx'
import styles from './logs.module.css'
import { type LogTab, logTabs } from './search.ts'
import { VerdictList } from './verdict-list.tsx'

type Search = Readonly<Record<string, string | undefined>>

interface LogPanelProps {
  readonly search: Search
  readonly change: (changed: Search, replace?: boolean) => void
  readonly mark: GradeMark | undefined
}

/** The entry that is open beside the list. */
export function LogPanel({ search, change, mark }: LogPanelProps): ReactNode {
  const { log: id = '', judge } = search
  const isOpen = id !== ''
  // The previous entry is not shown meanwhile: a grade would be given to what is on the screen.
  const entry = useEndpoint(getLog, { params: { id } }, { enabled: isOpen })
  const close = () => change({ log: undefined })
  return (
    <SidePanel title="Log entry" opened={isOpen} onClose={close}>
      <Loaded query={entry}>
        {(data) => (
          <div className={styles.panel}>
            <LogFacts entry={data} onDeleted={close} onFilter={change} />
            <LogContent
              key={data.id}
              entry={data}
              mark={mark}
              judgeId={judge}
              tab={(search.tab as LogTab | undefined) ?? 'conversation'}
              change={change}
            />
          </div>
        )}
      </Loaded>
    </SidePanel>
  )
}

interface LogContentProps {
  readonly entry: LogEntryWithFeedback
  readonly mark: GradeMark | undefined
  readonly judgeId: string | undefined
  readonly tab: LogTab
  readonly change: LogPanelProps['change']
}

const tabLabels: Record<LogTab, string> = {
  conversation: 'Conversation',
  json: 'Raw JSON',
  parameters: 'Request parameters',
  verdicts: 'Verdicts',
  feedback: 'Feedback',
}

function LogContent({ entry, mark, judgeId, tab, change }: LogContentProps): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const [sawOpinion, setSawOpinion] = useState(false)
  const { trace_id: traceId } = entry
  const openTrace = () => {
    if (traceId !== null) void navigate({ to: '/w/$slug/traces/$id', params: { slug, id: traceId } })
  }
  useKey('log.trace', openTrace, { enabled: traceId !== null })
  useKey('log.verdicts', () => change({ tab: 'verdicts' }, true))
  return (
    <>
      <ItemGrade
        item={{ unit: 'request', log_id: entry.id }}
        mine={mark?.mine ?? null}
        judgeId={judgeId}
        onJudge={(judge) => change({ judge }, true)}
        isBlind={!sawOpinion}
      />
      <Tabs
        value={tab}
        onChange={(value) => change({ tab: value === 'conversation' || value === null ? undefined : value }, true)}
        keepMounted={false}
      >
        <Tabs.List>
          {logTabs.map((value) => (
            <Tabs.Tab key={value} value={value}>
              {tabLabels[value]}
              {value === 'feedback' && entry.feedback.length > 0 ? ` (${entry.feedback.length})` : ''}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="conversation" pt={12}>
          <Conversation messages={[...entry.messages, entry.response]} kinds={entry.redaction.kinds} />
        </Tabs.Panel>
        <Tabs.Panel value="json" pt={12}>
          <CodeEditor label="The entry as JSON" language="json" value={JSON.stringify(entry, null, 2)} />
        </Tabs.Panel>
        <Tabs.Panel value="parameters" pt={12}>
          <CodeEditor label="Parameters of the request" language="json" value={parametersText(entry)} />
        </Tabs.Panel>
        <Tabs.Panel value="verdicts" pt={12}>
          <VerdictList logId={entry.id} judgeId={judgeId} onSeen={() => setSawOpinion(true)} />
        </Tabs.Panel>
        <Tabs.Panel value="feedback" pt={12}>
          <FeedbackList feedback={entry.feedback} onSeen={() => setSawOpinion(true)} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

/** What the request set beside its messages. */
function parametersText({ requested_model: model, stream, params, tools, response_format: format }: LogEntry): string {
  return JSON.stringify({ model, stream, ...params, tools, response_format: format }, null, 2)
}
