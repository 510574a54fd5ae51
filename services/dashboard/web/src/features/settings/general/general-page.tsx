import { Button, NumberInput, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { changeSettings, readSettings, type WorkspaceSettings } from '@ratchet/contracts/dashboard/settings'
import { listModels } from '@ratchet/contracts/models'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Card, Column, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { useFollowedForm } from '../../../kit/use-followed-form.ts'
import { changesOf, type GeneralValues, generalValues, SettingsForm } from './general-values.ts'

export function GeneralPage(): ReactNode {
  const settings = useEndpoint(readSettings)
  return (
    <Page title="General" lead="What applies to every request of the workspace.">
      <Loaded query={settings}>{(data) => <GeneralForm settings={data} />}</Loaded>
    </Page>
  )
}

function GeneralForm({ settings }: { readonly settings: WorkspaceSettings }): ReactNode {
  const workspace = useWorkspace()
  const reason = reasonAgainst('owner_admin', workspace)
  const form = useContractForm(SettingsForm, generalValues(settings))
  useFollowedForm(form, generalValues(settings))
  const act = useAct(changeSettings, {
    changes: [readSettings],
    onDone: () => toast('The settings are saved.'),
  })
  const send = form.onSubmit((values) =>
    act.mutate({ body: changesOf(settings, values) }, { onError: (error) => showErrorAt(form, error) }),
  )
  useKey('submit', () => send())
  const isOff = reason !== null
  return (
    <form onSubmit={send}>
      <Column>
        <Card title="Name">
          <Stack gap={12}>
            <TextInput
              label="Name of the workspace"
              description={reasonAgainst('owner', workspace) ?? `Its address stays /w/${settings.slug}.`}
              disabled={workspace.role !== 'owner'}
              {...form.getInputProps('name')}
            />
          </Stack>
        </Card>
        <AnswersCard form={form} isOff={isOff} />
        <LimitsCard form={form} isOff={isOff} />
        {act.error && <ErrorState error={act.error} />}
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button type="submit" disabled={disabled || !form.isDirty()} loading={act.isPending}>
              Save
            </Button>
          )}
        </NotPermitted>
      </Column>
    </form>
  )
}

interface PartProps {
  readonly form: ReturnType<typeof useContractForm<GeneralValues>>
  readonly isOff: boolean
}

function AnswersCard({ form, isOff }: PartProps): ReactNode {
  const models = useEndpoint(listModels).data?.data.map(({ id }) => id) ?? []
  return (
    <Card title="Answers">
      <Stack gap={14}>
        <Switch
          label="Answers may come from the cache"
          description="A request can still choose for itself."
          disabled={isOff}
          {...form.getInputProps('response_cache', { type: 'checkbox' })}
        />
        <TagsInput
          label="Fallback models"
          description="Called in this order when the model of a request fails. At most 8."
          data={models}
          maxTags={8}
          disabled={isOff}
          {...form.getInputProps('fallback_models')}
        />
        <Select
          label="Changing the target of an alias"
          description="Only an owner can take the need for evidence away again."
          data={[
            { value: 'off', label: 'needs no evidence' },
            { value: 'enforce', label: 'needs an eval that supports it' },
          ]}
          allowDeselect={false}
          disabled={isOff}
          {...form.getInputProps('evidence_policy')}
        />
      </Stack>
    </Card>
  )
}

function LimitsCard({ form, isOff }: PartProps): ReactNode {
  return (
    <Card title="Limits of all keys together">
      <Stack gap={12}>
        <NumberInput
          label="Requests per minute"
          description="Empty for no limit."
          min={1}
          hideControls
          thousandSeparator=","
          disabled={isOff}
          {...form.getInputProps('requests_per_minute')}
        />
        <NumberInput
          label="Tokens per minute"
          description="Empty for no limit."
          min={1}
          hideControls
          thousandSeparator=","
          disabled={isOff}
          {...form.getInputProps('tokens_per_minute')}
        />
      </Stack>
    </Card>
  )
}
