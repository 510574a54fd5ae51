import type { GrpoPrompt } from '../grpo/runs/read-prompts.ts'

/** An answer that people should grade. */
export interface AuditedAnswer {
  /** UUID under which it is graded. */
  readonly id: string
  readonly prompt: GrpoPrompt
  readonly completion: GrpoPrompt['messages']
  /** What this grader said last; null without a grade. */
  readonly grade: 'pass' | 'fail' | null
}

export interface NewGrade {
  readonly id: string
  readonly rolloutId: string
  readonly verdict: 'pass' | 'fail'
  readonly rationale: string | null
  readonly grader: string
}

export interface GradedAnswer {
  readonly model: string
  readonly prompt: GrpoPrompt
  readonly completion: GrpoPrompt['messages']
  readonly createdAt: Date
  /** Whether the grader had graded it before. */
  readonly superseded: boolean
}

/** Grades of answers that runs, or rounds, give to people. */
export interface GradeStore {
  /** Null for an answer that is in no audit of the workspace. */
  grade(workspaceId: string, grade: NewGrade): Promise<GradedAnswer | null>
}

/** What people found among the graded answers. */
export interface AuditCount {
  readonly graded: number
  readonly falsePass: number
}
