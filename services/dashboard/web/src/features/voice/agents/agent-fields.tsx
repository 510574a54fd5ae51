import {
  Autocomplete,
  Checkbox,
  MultiSelect,
  SegmentedControl,
  Select,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { listCriteria } from '@ratchet/contracts/criteria'
import { listModels } from '@ratchet/contracts/models'
import { listMyVoiceLanguages, listMyVoices, listMyVoiceTools } from '@ratchet/contracts/session-voice'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import styles from '../voice.module.css'
import { type AgentValues, variablesNamed } from './agent-values.ts'

export interface AgentFieldsProps {
  readonly form: UseFormReturnType<AgentValues>
}

/** What the agent is and may do. */
export function WorkFields({ form }: AgentFieldsProps): ReactNode {
  const models = useEndpoint(listModels)
  const tools = useEndpoint(listMyVoiceTools, { query: { limit: 100 } })
  const judges = useEndpoint(listCriteria, { query: { status: 'draft', unit: 'trace', limit: 200 } })
  return (
    <Card title="1. What it does">
      <FailedReads of={[models, tools, judges]} />
      <div className={styles.parts}>
        <div className={styles.pair}>
          <TextInput label="Name" required maxLength={80} {...form.getInputProps('name')} />
          <Autocomplete
            label="Model"
            description="A model, or an alias of yours."
            required
            data={models.data?.data.map(({ id }) => id) ?? []}
            limit={50}
            {...form.getInputProps('model')}
          />
        </div>
        <Textarea
          label="What it is told"
          description="{{name}} stands for a variable of the call."
          required
          autosize
          minRows={6}
          maxRows={24}
          {...form.getInputProps('system_prompt')}
        />
        <TagsInput
          label="Variables"
          description="What each call may state; Enter adds a name."
          value={form.values.variables.map(({ name }) => name)}
          error={form.errors.variables}
          onChange={(names) => form.setFieldValue('variables', variablesNamed(names, form.values.variables))}
        />
        <div className={styles.pair}>
          <MultiSelect
            label="Tools"
            description="What it may call during a call."
            data={(tools.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            maxValues={32}
            {...form.getInputProps('tool_ids')}
          />
          <MultiSelect
            label="Judges"
            description="Judge each call when it has ended."
            data={(judges.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            maxValues={16}
            {...form.getInputProps('criterion_ids')}
          />
        </div>
        <Checkbox label="It may end the call" {...form.getInputProps('end_call', { type: 'checkbox' })} />
      </div>
    </Card>
  )
}

/** Language, voice, and how a call begins. */
export function SpeechFields({ form }: AgentFieldsProps): ReactNode {
  const languages = useEndpoint(listMyVoiceLanguages)
  const { language, voice, first_message_mode: mode } = form.values
  const voices = useEndpoint(listMyVoices, language === '' ? {} : { query: { language } })
  const speakers = voices.data?.data ?? []
  const chooseLanguage = (chosen: string | null) => form.setFieldValue('language', chosen ?? '')
  return (
    <Card title="2. How it speaks">
      <FailedReads of={[languages, voices]} />
      <div className={styles.parts}>
        <div className={styles.pair}>
          <Select
            label="Language"
            required
            searchable
            allowDeselect={false}
            data={(languages.data?.data ?? []).map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
            value={language === '' ? null : language}
            error={form.errors.language}
            onChange={chooseLanguage}
          />
          <Select
            label="Voice"
            description={language === '' ? 'Choose the language first.' : undefined}
            required
            searchable
            allowDeselect={false}
            data={speakers.map(({ id, available }) => ({
              value: id,
              label: available ? id : `${id}, not available now`,
              disabled: !available,
            }))}
            value={voice === '' ? null : voice}
            error={form.errors.voice}
            onChange={(chosen) => form.setFieldValue('voice', chosen ?? '')}
          />
        </div>
        <SegmentedControl
          aria-label="Who speaks first"
          data={[
            { value: 'agent_speaks', label: 'The agent speaks first' },
            { value: 'caller_speaks', label: 'The caller speaks first' },
          ]}
          value={mode}
          onChange={(chosen) => form.setFieldValue('first_message_mode', chosen as AgentValues['first_message_mode'])}
        />
        {mode === 'agent_speaks' && (
          <Textarea
            label="First message"
            description="Empty: the model writes one."
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps('first_message')}
          />
        )}
        <Checkbox
          label="The first message says that the voice is artificial"
          {...form.getInputProps('ai_disclosure', { type: 'checkbox' })}
        />
      </div>
    </Card>
  )
}
