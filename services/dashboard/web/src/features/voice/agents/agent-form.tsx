import type { ReactNode } from 'react'
import styles from '../voice.module.css'
import { type AgentFieldsProps, SpeechFields, WorkFields } from './agent-fields.tsx'
import { EndFields, MoreFields, PrivacyFields } from './agent-limits.tsx'

interface AgentFormProps extends AgentFieldsProps {
  readonly onSubmit: () => void
  /** What is below the fields. */
  readonly children: ReactNode
}

/** All that makes a version of an agent. */
export function AgentFormParts({ form, onSubmit, children }: AgentFormProps): ReactNode {
  return (
    <form onSubmit={form.onSubmit(onSubmit)} noValidate>
      <div className={styles.parts}>
        <WorkFields form={form} />
        <SpeechFields form={form} />
        <EndFields form={form} />
        <PrivacyFields form={form} />
        <MoreFields form={form} />
        {children}
      </div>
    </form>
  )
}
