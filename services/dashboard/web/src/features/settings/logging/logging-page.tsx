import { Button, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { changeSettings, readSettings, type WorkspaceSettings } from '@ratchet/contracts/dashboard/settings'
import { getSetupStatus } from '@ratchet/contracts/setup-status'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { countOf } from '../../../kit/numbers.ts'
import { Card, Column, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { toast } from '../../../kit/toast.tsx'
import { type LoggingChange, questionBefore } from './logging-change.ts'
import { OutlivedCount } from './outlived-count.tsx'

type Logging = WorkspaceSettings['logging']

export function LoggingPage(): ReactNode {
  const settings = useEndpoint(readSettings)
  return (
    <Page
      title="Logging"
      lead="Prompts and answers, stored for a while, so that they can be read, graded, judged and compared."
    >
      <Loaded query={settings}>{({ logging }) => <LoggingForm logging={logging} />}</Loaded>
    </Page>
  )
}

function LoggingForm({ logging }: { readonly logging: Logging }): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const status = useEndpoint(getSetupStatus).data
  const [change, setChange] = useState<LoggingChange | null>(null)
  const act = useAct(changeSettings, {
    changes: [readSettings, getSetupStatus],
    onDone: () => {
      setChange(null)
      toast('The logging settings are saved.')
    },
  })
  const question = change && questionBefore(logging, change)
  const request = (next: LoggingChange) => {
    act.reset()
    if (questionBefore(logging, next) === null) act.mutate({ body: { logging: next } })
    else setChange(next)
  }
  return (
    <Column>
      <SwitchNotice logging={logging} stored={status?.traffic.logged_conversations ?? null}>
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button
              variant={logging.enabled ? 'default' : 'filled'}
              disabled={disabled}
              loading={act.isPending && change === null}
              onClick={() => request({ enabled: !logging.enabled })}
            >
              {logging.enabled ? 'Turn logging off' : 'Turn logging on'}
            </Button>
          )}
        </NotPermitted>
      </SwitchNotice>
      {act.error && change === null && <ErrorState error={act.error} />}
      <RetentionCard
        days={logging.retention_days}
        isOff={reason !== null}
        onChoose={(days) => request({ retention_days: days })}
      />
      <SurfacesCard
        responses={logging.responses}
        isOff={reason !== null}
        onChoose={(responses) => request({ responses })}
      />
      <WhatIsKept />
      <Confirm
        opened={change !== null}
        onClose={() => setChange(null)}
        title={question?.title ?? ''}
        verb={question?.verb ?? ''}
        isRunning={act.isPending}
        error={act.error}
        onConfirm={() => change && act.mutate({ body: { logging: change } })}
      >
        <Text>{question?.text}</Text>
        {question?.deletesAfterDays !== undefined && <OutlivedCount days={question.deletesAfterDays} />}
      </Confirm>
    </Column>
  )
}

interface SwitchNoticeProps {
  readonly logging: Logging
  readonly stored: number | null
  readonly children: ReactNode
}

function SwitchNotice({ logging, stored, children }: SwitchNoticeProps): ReactNode {
  const count = stored === null ? '' : ` ${countOf(stored, 'exchange')} stored.`
  return (
    <Notice state={logging.enabled ? 'proven' : 'open'} action={children}>
      <strong>{logging.enabled ? 'Logging is on.' : 'Logging is off.'}</strong>
      {logging.enabled ? count : ' New exchanges are not stored, so evals, reviews and judges receive nothing new.'}
    </Notice>
  )
}

interface RetentionCardProps {
  readonly days: Logging['retention_days']
  readonly isOff: boolean
  readonly onChoose: (days: Logging['retention_days']) => void
}

const choices = [7, 30, 90] as const

function RetentionCard({ days, isOff, onChoose }: RetentionCardProps): ReactNode {
  return (
    <Card title="How long exchanges are stored">
      <Stack gap={8} align="flex-start">
        <SegmentedControl
          aria-label="Days"
          data={choices.map((value) => ({ value: String(value), label: `${value} days` }))}
          value={String(days)}
          disabled={isOff}
          onChange={(value) => onChoose(Number(value) as Logging['retention_days'])}
        />
        <Text c="dimmed">
          A longer time applies to new exchanges only. With a shorter one, older exchanges are deleted within the hour.
        </Text>
      </Stack>
    </Card>
  )
}

interface SurfacesCardProps {
  readonly responses: boolean
  readonly isOff: boolean
  readonly onChoose: (responses: boolean) => void
}

function SurfacesCard({ responses, isOff, onChoose }: SurfacesCardProps): ReactNode {
  return (
    <Card title="Which requests are stored">
      <Stack gap={8}>
        <Text>Chat completions and messages are always stored while logging is on.</Text>
        <Switch
          label="The Responses API too"
          description="Codex and the agents of OpenAI use it. Each request then stores the responses before it as well."
          checked={responses}
          disabled={isOff}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      </Stack>
    </Card>
  )
}

function WhatIsKept(): ReactNode {
  return (
    <Card title="What is stored">
      <Stack gap={8}>
        <Text>
          Messages, tools, parameters and the answer; model, cost, time and tokens. API keys and other secrets that are
          recognised in texts are replaced before anything is stored.
        </Text>
        <Text>
          Never stored: API keys of requests, headers, and exchanges whose request turns logging off for itself.
          Datasets and grades stay when exchanges are deleted.
        </Text>
      </Stack>
    </Card>
  )
}
