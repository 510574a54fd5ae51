import { Checkbox, NumberInput, Select, TagsInput, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../../../kit/page.tsx'
import styles from '../voice.module.css'
import type { AgentFieldsProps } from './agent-fields.tsx'
import {
  type MailboxChoice,
  mailboxChoices,
  mailboxOf,
  mailboxSettings,
  type RecordingChoice,
  recordingChoices,
  recordingOf,
  recordingSettings,
} from './agent-values.ts'

/** A number of the form, with its range. */
interface NumberField {
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly suffix?: string
  readonly min: number
  readonly max: number
  /** Of the arrow keys; with decimals when it is less than 1. */
  readonly step?: number
}

const ends: readonly NumberField[] = [
  { name: 'max_duration_seconds', label: 'Longest call', suffix: ' s', min: 30, max: 7_200, step: 30 },
  {
    name: 'silence_timeout_seconds',
    label: 'Ends after silence of',
    suffix: ' s',
    min: 10,
    max: 600,
    step: 5,
  },
]

const listening: readonly NumberField[] = [
  {
    name: 'interruption_sensitivity',
    label: 'Can be interrupted',
    description: '0: never; 1: by the first words.',
    min: 0,
    max: 1,
    step: 0.1,
  },
  {
    name: 'turn_taking.min_endpoint_ms',
    label: 'Answers after silence of',
    description: 'At the earliest.',
    suffix: ' ms',
    min: 100,
    max: 2_000,
    step: 50,
  },
  {
    name: 'turn_taking.max_endpoint_ms',
    label: 'Waits for the caller for',
    description: 'At most, when a sentence does not sound finished.',
    suffix: ' ms',
    min: 500,
    max: 10_000,
    step: 100,
  },
  { name: 'speech.speed', label: 'Speed of speech', min: 0.7, max: 1.3, step: 0.05 },
  { name: 'temperature', label: 'Temperature', description: 'Empty: that of the model.', min: 0, max: 2, step: 0.1 },
  { name: 'max_response_tokens', label: 'Longest answer', suffix: ' tokens', min: 1, max: 1_000, step: 50 },
]

/** When a call ends. */
export function EndFields({ form }: AgentFieldsProps): ReactNode {
  return (
    <Card title="3. When a call ends">
      <div className={styles.parts}>
        <div className={styles.pair}>
          {ends.map((field) => (
            <NumberRow key={field.name} form={form} field={field} />
          ))}
        </div>
        <TagsInput
          label="Said to a caller who is silent"
          description="Up to two sentences; Enter adds one."
          maxTags={2}
          splitChars={[]}
          {...form.getInputProps('reminders')}
        />
        <MailboxFields form={form} />
      </div>
    </Card>
  )
}

const mailboxWords: Readonly<Record<MailboxChoice, string>> = {
  talk: 'It talks as to a person',
  hangup: 'It hangs up',
  message: 'It leaves a message behind the beep',
}

function MailboxFields({ form }: AgentFieldsProps): ReactNode {
  const { voicemail } = form.values
  const choice = mailboxOf(voicemail)
  const choose = (chosen: string | null) =>
    form.setFieldValue('voicemail', mailboxSettings((chosen ?? 'talk') as MailboxChoice, voicemail))
  return (
    <>
      <Select
        label="When it calls and a mailbox answers"
        allowDeselect={false}
        data={mailboxChoices.map((value) => ({ value, label: mailboxWords[value] }))}
        value={choice}
        onChange={choose}
      />
      {choice === 'message' && (
        <Textarea label="Message" required autosize minRows={2} {...form.getInputProps('voicemail.message')} />
      )}
    </>
  )
}

const recordingWords: Readonly<Record<RecordingChoice, string>> = {
  off: 'Calls are not recorded',
  silent: 'Calls are recorded, and nothing is said about it',
  announced: 'Calls are recorded, after the caller was told',
  asked: 'The caller is asked, and recorded after a yes',
}

/** Recordings, and how long what was said is kept. */
export function PrivacyFields({ form }: AgentFieldsProps): ReactNode {
  const choice = recordingOf(form.values)
  return (
    <Card title="4. Recording and privacy">
      <div className={styles.parts}>
        <Select
          label="Recording"
          allowDeselect={false}
          data={recordingChoices.map((value) => ({ value, label: recordingWords[value] }))}
          value={choice}
          error={form.errors.recording_consent}
          onChange={(chosen) => form.setValues(recordingSettings((chosen ?? 'off') as RecordingChoice))}
        />
        {(choice === 'announced' || choice === 'asked') && (
          <Textarea
            label={choice === 'asked' ? 'What is asked' : 'What is said about it'}
            required
            autosize
            minRows={2}
            {...form.getInputProps('consent_text')}
          />
        )}
        <NumberRow
          form={form}
          field={{
            name: 'privacy.retention_days',
            label: 'Transcripts and recordings are kept for',
            suffix: ' days',
            min: 1,
            max: 90,
          }}
        />
        <Checkbox
          label="Numbers of cards and accounts, addresses and the like are left out of transcripts"
          {...form.getInputProps('privacy.redact_transcript', { type: 'checkbox' })}
        />
      </div>
    </Card>
  )
}

/** Settings whose defaults fit most agents. */
export function MoreFields({ form }: AgentFieldsProps): ReactNode {
  const hasProblem = listening.some(({ name }) => form.errors[name] !== undefined)
  return (
    <Card title="5. Settings that fit most agents">
      <details className={styles.more} open={hasProblem}>
        <summary>More</summary>
        <div className={styles.pair}>
          {listening.map((field) => (
            <NumberRow key={field.name} form={form} field={field} />
          ))}
        </div>
        <Checkbox
          label="Keys that the caller presses are heard"
          {...form.getInputProps('dtmf.enabled', { type: 'checkbox' })}
        />
      </details>
    </Card>
  )
}

function NumberRow({ form, field }: AgentFieldsProps & { readonly field: NumberField }): ReactNode {
  const { name, step = 1, ...shown } = field
  return (
    <NumberInput {...shown} step={step} allowDecimal={step < 1} clampBehavior="none" {...form.getInputProps(name)} />
  )
}
