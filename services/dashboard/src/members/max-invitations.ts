/** Invitations of a workspace that are valid at a time. A page shows all of them. */
export const maxInvitations = 500
