
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "public": {
          Tables: {
            "automation_actions": {
                  Row: {
                    "action_config": NonNullable<Json>,"action_type": Database["public"]['Enums']["automation_action_type"],"continue_on_error": boolean,"created_at": string,"disabled_reason": string | null,"execution_order": number,"id": string,"podcast_id": string,"rule_id": string,"template_id": string | null,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "action_config": NonNullable<Json>,"action_type": Database["public"]['Enums']["automation_action_type"],"continue_on_error"?: boolean,"created_at"?: string,"disabled_reason"?: string | null,"execution_order"?: number,"id"?: string,"podcast_id"?: string,"rule_id": string,"template_id"?: never,"updated_at"?: string
                  }
                  Update: {
                    "action_config"?: NonNullable<Json>,"action_type"?: Database["public"]['Enums']["automation_action_type"],"continue_on_error"?: boolean,"created_at"?: string,"disabled_reason"?: string | null,"execution_order"?: number,"id"?: string,"podcast_id"?: string,"rule_id"?: string,"template_id"?: never,"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "automation_actions_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "automation_actions_rule_id_fkey"
      columns: ["rule_id"]
isOneToOne: false
      referencedRelation: "automation_rules"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "automation_actions_template_id_fkey"
      columns: ["template_id"]
isOneToOne: false
      referencedRelation: "automation_templates"
      referencedColumns: ["id"]
    }
                  ]
                },"automation_addresses": {
                  Row: {
                    "confirmed_at": string | null,"created_at": string,"email": string,"email_due_at": string | null,"email_status": Database["public"]['Enums']["email_status"] | null,"id": string,"podcast_id": string,"requested_by": string | null,"status": string,"unsubscribed_at": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "confirmed_at"?: string | null,"created_at"?: string,"email": string,"email_due_at"?: string | null,"email_status"?: Database["public"]['Enums']["email_status"] | null,"id"?: string,"podcast_id": string,"requested_by"?: string | null,"status"?: never,"unsubscribed_at"?: string | null
                  }
                  Update: {
                    "confirmed_at"?: string | null,"created_at"?: string,"email"?: string,"email_due_at"?: string | null,"email_status"?: Database["public"]['Enums']["email_status"] | null,"id"?: string,"podcast_id"?: string,"requested_by"?: string | null,"status"?: never,"unsubscribed_at"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "automation_addresses_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "automation_addresses_requested_by_fkey"
      columns: ["requested_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"automation_executions": {
                  Row: {
                    "action_results": NonNullable<Json>,"booking_id": string | null,"completed_at": string | null,"context_data": NonNullable<Json>,"created_at": string,"episode_id": string | null,"error_message": string | null,"guest_email": string | null,"held_until": string | null,"id": string,"is_test": boolean,"next_attempt_at": string | null,"occurrence_id": string,"occurrence_key": string | null,"outcome": string | null,"outcome_reason": string | null,"podcast_id": string,"resumed_at": string | null,"retry_of_id": string | null,"rule_id": string | null,"rule_name": string,"started_at": string | null,"status": Database["public"]['Enums']["automation_execution_status"],"test_action_id": string | null,"trigger_type": Database["public"]['Enums']["automation_trigger"],"waits_for": Database["public"]['Enums']["automation_action_type"] | null,"waits_for_units": number | null
                  }
                  ComputedFields: never
                  Insert: {
                    "action_results"?: NonNullable<Json>,"booking_id"?: never,"completed_at"?: string | null,"context_data": NonNullable<Json>,"created_at"?: string,"episode_id"?: never,"error_message"?: string | null,"guest_email"?: never,"held_until"?: string | null,"id"?: string,"is_test"?: never,"next_attempt_at"?: string | null,"occurrence_id"?: string,"occurrence_key"?: string | null,"outcome"?: never,"outcome_reason"?: never,"podcast_id": string,"resumed_at"?: string | null,"retry_of_id"?: string | null,"rule_id"?: string | null,"rule_name": string,"started_at"?: string | null,"status"?: Database["public"]['Enums']["automation_execution_status"],"test_action_id"?: string | null,"trigger_type": Database["public"]['Enums']["automation_trigger"],"waits_for"?: Database["public"]['Enums']["automation_action_type"] | null,"waits_for_units"?: number | null
                  }
                  Update: {
                    "action_results"?: NonNullable<Json>,"booking_id"?: never,"completed_at"?: string | null,"context_data"?: NonNullable<Json>,"created_at"?: string,"episode_id"?: never,"error_message"?: string | null,"guest_email"?: never,"held_until"?: string | null,"id"?: string,"is_test"?: never,"next_attempt_at"?: string | null,"occurrence_id"?: string,"occurrence_key"?: string | null,"outcome"?: never,"outcome_reason"?: never,"podcast_id"?: string,"resumed_at"?: string | null,"retry_of_id"?: string | null,"rule_id"?: string | null,"rule_name"?: string,"started_at"?: string | null,"status"?: Database["public"]['Enums']["automation_execution_status"],"test_action_id"?: string | null,"trigger_type"?: Database["public"]['Enums']["automation_trigger"],"waits_for"?: Database["public"]['Enums']["automation_action_type"] | null,"waits_for_units"?: number | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "automation_executions_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "automation_executions_retry_of_id_fkey"
      columns: ["retry_of_id"]
isOneToOne: false
      referencedRelation: "automation_executions"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "automation_executions_rule_id_fkey"
      columns: ["rule_id"]
isOneToOne: false
      referencedRelation: "automation_rules"
      referencedColumns: ["id"]
    }
                  ]
                },"automation_rules": {
                  Row: {
                    "author_id": string | null,"condition_mode": string,"conditions": NonNullable<Json>,"created_at": string,"description": string,"id": string,"is_enabled": boolean,"is_paused": boolean,"name": string,"pause_reason": string | null,"podcast_id": string,"reply_to": string,"trigger_config": NonNullable<Json>,"trigger_type": Database["public"]['Enums']["automation_trigger"],"updated_at": string,"workflow_data": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "author_id"?: string | null,"condition_mode"?: string,"conditions"?: NonNullable<Json>,"created_at"?: string,"description"?: string,"id"?: string,"is_enabled"?: boolean,"is_paused"?: boolean,"name": string,"pause_reason"?: string | null,"podcast_id": string,"reply_to"?: string,"trigger_config"?: NonNullable<Json>,"trigger_type": Database["public"]['Enums']["automation_trigger"],"updated_at"?: string,"workflow_data"?: NonNullable<Json>
                  }
                  Update: {
                    "author_id"?: string | null,"condition_mode"?: string,"conditions"?: NonNullable<Json>,"created_at"?: string,"description"?: string,"id"?: string,"is_enabled"?: boolean,"is_paused"?: boolean,"name"?: string,"pause_reason"?: string | null,"podcast_id"?: string,"reply_to"?: string,"trigger_config"?: NonNullable<Json>,"trigger_type"?: Database["public"]['Enums']["automation_trigger"],"updated_at"?: string,"workflow_data"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "automation_rules_author_id_fkey"
      columns: ["author_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "automation_rules_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"automation_tags": {
                  Row: {
                    "example": string,"kind": Database["public"]['Enums']["automation_tag_kind"],"optional_triggers": (Database["public"]['Enums']["automation_trigger"])[],"tag": string,"triggers": (Database["public"]['Enums']["automation_trigger"])[]
                  }
                  ComputedFields: never
                  Insert: {
                    "example": string,"kind": Database["public"]['Enums']["automation_tag_kind"],"optional_triggers"?: (Database["public"]['Enums']["automation_trigger"])[],"tag": string,"triggers": (Database["public"]['Enums']["automation_trigger"])[]
                  }
                  Update: {
                    "example"?: string,"kind"?: Database["public"]['Enums']["automation_tag_kind"],"optional_triggers"?: (Database["public"]['Enums']["automation_trigger"])[],"tag"?: string,"triggers"?: (Database["public"]['Enums']["automation_trigger"])[]
                  }
                  Relationships: [
                    
                  ]
                },"automation_templates": {
                  Row: {
                    "body_html": string,"body_text": string,"category": Database["public"]['Enums']["automation_template_category"],"created_at": string,"description": string,"has_button": boolean,"id": string,"name": string,"podcast_id": string,"subject": string,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "body_html"?: string,"body_text"?: string,"category"?: Database["public"]['Enums']["automation_template_category"],"created_at"?: string,"description"?: string,"has_button"?: boolean,"id"?: string,"name": string,"podcast_id": string,"subject": string,"updated_at"?: string
                  }
                  Update: {
                    "body_html"?: string,"body_text"?: string,"category"?: Database["public"]['Enums']["automation_template_category"],"created_at"?: string,"description"?: string,"has_button"?: boolean,"id"?: string,"name"?: string,"podcast_id"?: string,"subject"?: string,"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "automation_templates_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"billing_accounts": {
                  Row: {
                    "cancel_at_period_end": boolean,"collection_paused": boolean,"created_at": string,"current_period_end": string | null,"plan_code": string,"storage_bytes_used": number,"subscription_status": string,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "cancel_at_period_end"?: boolean,"collection_paused"?: boolean,"created_at"?: string,"current_period_end"?: string | null,"plan_code"?: string,"storage_bytes_used"?: number,"subscription_status"?: string,"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "cancel_at_period_end"?: boolean,"collection_paused"?: boolean,"created_at"?: string,"current_period_end"?: string | null,"plan_code"?: string,"storage_bytes_used"?: number,"subscription_status"?: string,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "billing_accounts_plan_code_fkey"
      columns: ["plan_code"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["code"]
    },{
      foreignKeyName: "billing_accounts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: true
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"booking_links": {
                  Row: {
                    "availability_rules": NonNullable<Json>,"buffer_after_minutes": number,"buffer_before_minutes": number,"conflict_scope": Database["public"]['Enums']["conflict_scope"],"created_at": string,"date_overrides": NonNullable<Json>,"description": string,"duration_minutes": number,"id": string,"is_active": boolean,"location": Json | null,"max_advance_days": number | null,"min_notice_hours": number | null,"name": string,"podcast_id": string,"questions": NonNullable<Json>,"requires_confirmation": boolean,"slug": string,"timezone": string,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "availability_rules"?: NonNullable<Json>,"buffer_after_minutes"?: number,"buffer_before_minutes"?: number,"conflict_scope"?: Database["public"]['Enums']["conflict_scope"],"created_at"?: string,"date_overrides"?: NonNullable<Json>,"description"?: string,"duration_minutes"?: number,"id"?: string,"is_active"?: boolean,"location"?: Json | null,"max_advance_days"?: number | null,"min_notice_hours"?: number | null,"name": string,"podcast_id": string,"questions"?: NonNullable<Json>,"requires_confirmation"?: boolean,"slug"?: string,"timezone": string,"updated_at"?: string
                  }
                  Update: {
                    "availability_rules"?: NonNullable<Json>,"buffer_after_minutes"?: number,"buffer_before_minutes"?: number,"conflict_scope"?: Database["public"]['Enums']["conflict_scope"],"created_at"?: string,"date_overrides"?: NonNullable<Json>,"description"?: string,"duration_minutes"?: number,"id"?: string,"is_active"?: boolean,"location"?: Json | null,"max_advance_days"?: number | null,"min_notice_hours"?: number | null,"name"?: string,"podcast_id"?: string,"questions"?: NonNullable<Json>,"requires_confirmation"?: boolean,"slug"?: string,"timezone"?: string,"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "booking_links_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"bookings": {
                  Row: {
                    "answers": NonNullable<Json>,"booking_link_id": string | null,"calendar_organizer": string | null,"calendar_uid": string,"cancelled_by": string | null,"confirmed_by": string | null,"created_at": string,"end_time": string,"episode_id": string | null,"expires_at": string | null,"guest_email": string,"guest_locale": string,"guest_name": string,"guest_timezone": string,"guest_told_at": string | null,"guest_verified_at": string | null,"hosts_told_at": string | null,"id": string,"location": Json | null,"name": string,"next_reminder_at": string | null,"notes": string | null,"podcast_id": string,"requires_confirmation": boolean,"sequence": number,"start_time": string,"status": Database["public"]['Enums']["booking_status"],"status_message": string | null,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "answers"?: NonNullable<Json>,"booking_link_id"?: string | null,"calendar_organizer"?: string | null,"calendar_uid"?: string,"cancelled_by"?: string | null,"confirmed_by"?: string | null,"created_at"?: string,"end_time": string,"episode_id"?: string | null,"expires_at"?: string | null,"guest_email": string,"guest_locale"?: string,"guest_name": string,"guest_timezone"?: string,"guest_told_at"?: string | null,"guest_verified_at"?: string | null,"hosts_told_at"?: string | null,"id"?: string,"location"?: Json | null,"name": string,"next_reminder_at"?: string | null,"notes"?: string | null,"podcast_id": string,"requires_confirmation"?: boolean,"sequence"?: number,"start_time": string,"status"?: Database["public"]['Enums']["booking_status"],"status_message"?: string | null,"updated_at"?: string
                  }
                  Update: {
                    "answers"?: NonNullable<Json>,"booking_link_id"?: string | null,"calendar_organizer"?: string | null,"calendar_uid"?: string,"cancelled_by"?: string | null,"confirmed_by"?: string | null,"created_at"?: string,"end_time"?: string,"episode_id"?: string | null,"expires_at"?: string | null,"guest_email"?: string,"guest_locale"?: string,"guest_name"?: string,"guest_timezone"?: string,"guest_told_at"?: string | null,"guest_verified_at"?: string | null,"hosts_told_at"?: string | null,"id"?: string,"location"?: Json | null,"name"?: string,"next_reminder_at"?: string | null,"notes"?: string | null,"podcast_id"?: string,"requires_confirmation"?: boolean,"sequence"?: number,"start_time"?: string,"status"?: Database["public"]['Enums']["booking_status"],"status_message"?: string | null,"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "bookings_booking_link_id_fkey"
      columns: ["booking_link_id"]
isOneToOne: false
      referencedRelation: "booking_links"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "bookings_confirmed_by_fkey"
      columns: ["confirmed_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "bookings_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "bookings_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"calendar_connections": {
                  Row: {
                    "account_name": string,"created_at": string,"failing_since": string | null,"id": string,"is_failure_told": boolean,"last_error": string | null,"provider": Database["public"]['Enums']["calendar_provider"],"status": Database["public"]['Enums']["calendar_connection_status"],"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "account_name": string,"created_at"?: string,"failing_since"?: string | null,"id"?: string,"is_failure_told"?: boolean,"last_error"?: string | null,"provider": Database["public"]['Enums']["calendar_provider"],"status"?: Database["public"]['Enums']["calendar_connection_status"],"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "account_name"?: string,"created_at"?: string,"failing_since"?: string | null,"id"?: string,"is_failure_told"?: boolean,"last_error"?: string | null,"provider"?: Database["public"]['Enums']["calendar_provider"],"status"?: Database["public"]['Enums']["calendar_connection_status"],"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "calendar_connections_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"connected_calendars": {
                  Row: {
                    "connection_id": string,"created_at": string,"events_error": string | null,"external_id": string,"fetched_at": string | null,"id": string,"is_primary": boolean,"is_selected": boolean,"is_writable": boolean,"last_error": string | null,"name": string,"receives_events": boolean,"updated_at": string,"user_id": string,"warnings": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "connection_id": string,"created_at"?: string,"events_error"?: string | null,"external_id": string,"fetched_at"?: string | null,"id"?: string,"is_primary"?: boolean,"is_selected"?: boolean,"is_writable"?: boolean,"last_error"?: string | null,"name": string,"receives_events"?: boolean,"updated_at"?: string,"user_id": string,"warnings"?: NonNullable<Json>
                  }
                  Update: {
                    "connection_id"?: string,"created_at"?: string,"events_error"?: string | null,"external_id"?: string,"fetched_at"?: string | null,"id"?: string,"is_primary"?: boolean,"is_selected"?: boolean,"is_writable"?: boolean,"last_error"?: string | null,"name"?: string,"receives_events"?: boolean,"updated_at"?: string,"user_id"?: string,"warnings"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "connected_calendars_connection_id_fkey"
      columns: ["connection_id"]
isOneToOne: false
      referencedRelation: "calendar_connections"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "connected_calendars_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"episode_chapters": {
                  Row: {
                    "created_at": string,"end_seconds": number | null,"episode_id": string,"id": string,"image_url": string | null,"is_in_toc": boolean,"location": Json | null,"podcast_id": string,"start_seconds": number,"title": string | null,"updated_at": string,"url": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"end_seconds"?: number | null,"episode_id": string,"id"?: string,"image_url"?: string | null,"is_in_toc"?: boolean,"location"?: Json | null,"podcast_id"?: string,"start_seconds": number,"title"?: string | null,"updated_at"?: string,"url"?: string | null
                  }
                  Update: {
                    "created_at"?: string,"end_seconds"?: number | null,"episode_id"?: string,"id"?: string,"image_url"?: string | null,"is_in_toc"?: boolean,"location"?: Json | null,"podcast_id"?: string,"start_seconds"?: number,"title"?: string | null,"updated_at"?: string,"url"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "episode_chapters_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_chapters_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"episode_credits": {
                  Row: {
                    "avatar_url": string | null,"created_at": string,"display_order": number,"episode_id": string,"external_url": string | null,"id": string,"name": string,"podcast_id": string,"role_label": Database["public"]['Enums']["credit_role_label"],"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "avatar_url"?: string | null,"created_at"?: string,"display_order": number,"episode_id": string,"external_url"?: string | null,"id"?: string,"name": string,"podcast_id"?: string,"role_label": Database["public"]['Enums']["credit_role_label"],"updated_at"?: string
                  }
                  Update: {
                    "avatar_url"?: string | null,"created_at"?: string,"display_order"?: number,"episode_id"?: string,"external_url"?: string | null,"id"?: string,"name"?: string,"podcast_id"?: string,"role_label"?: Database["public"]['Enums']["credit_role_label"],"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "episode_credits_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_credits_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"episode_guests": {
                  Row: {
                    "created_at": string,"email_due_at": string | null,"email_status": Database["public"]['Enums']["email_status"] | null,"episode_id": string,"id": string,"invited_at": string,"last_accessed_at": string | null,"podcast_guest_id": string,"podcast_id": string,"status": Database["public"]['Enums']["episode_guest_status"]
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"email_due_at"?: string | null,"email_status"?: Database["public"]['Enums']["email_status"] | null,"episode_id": string,"id"?: string,"invited_at"?: string,"last_accessed_at"?: string | null,"podcast_guest_id": string,"podcast_id"?: string,"status"?: Database["public"]['Enums']["episode_guest_status"]
                  }
                  Update: {
                    "created_at"?: string,"email_due_at"?: string | null,"email_status"?: Database["public"]['Enums']["email_status"] | null,"episode_id"?: string,"id"?: string,"invited_at"?: string,"last_accessed_at"?: string | null,"podcast_guest_id"?: string,"podcast_id"?: string,"status"?: Database["public"]['Enums']["episode_guest_status"]
                  }
                  Relationships: [
                    {
      foreignKeyName: "episode_guests_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_guests_podcast_guest_id_fkey"
      columns: ["podcast_guest_id"]
isOneToOne: false
      referencedRelation: "podcast_guests"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_guests_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"episode_messages": {
                  Row: {
                    "body": string | null,"created_at": string,"deleted_at": string | null,"episode_id": string,"id": string,"podcast_id": string,"sender_guest_id": string | null,"sender_name": string | null,"sender_user_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "body"?: string | null,"created_at"?: string,"deleted_at"?: string | null,"episode_id": string,"id"?: string,"podcast_id"?: string,"sender_guest_id"?: string | null,"sender_name"?: string | null,"sender_user_id"?: string | null
                  }
                  Update: {
                    "body"?: string | null,"created_at"?: string,"deleted_at"?: string | null,"episode_id"?: string,"id"?: string,"podcast_id"?: string,"sender_guest_id"?: string | null,"sender_name"?: string | null,"sender_user_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "episode_messages_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_messages_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_messages_sender_guest_id_fkey"
      columns: ["sender_guest_id"]
isOneToOne: false
      referencedRelation: "episode_guests"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_messages_sender_user_id_fkey"
      columns: ["sender_user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"episode_people": {
                  Row: {
                    "avatar_url": string | null,"created_at": string,"credit_id": string | null,"episode_id": string,"external_url": string | null,"guest_id": string | null,"id": string,"is_active": boolean,"name": string,"podcast_id": string,"role_label": string,"source_type": Database["public"]['Enums']["person_source_type"],"updated_at": string,"user_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "avatar_url"?: string | null,"created_at"?: string,"credit_id"?: string | null,"episode_id": string,"external_url"?: string | null,"guest_id"?: string | null,"id"?: string,"is_active"?: boolean,"name": string,"podcast_id"?: string,"role_label"?: string,"source_type": Database["public"]['Enums']["person_source_type"],"updated_at"?: string,"user_id"?: string | null
                  }
                  Update: {
                    "avatar_url"?: string | null,"created_at"?: string,"credit_id"?: string | null,"episode_id"?: string,"external_url"?: string | null,"guest_id"?: string | null,"id"?: string,"is_active"?: boolean,"name"?: string,"podcast_id"?: string,"role_label"?: string,"source_type"?: Database["public"]['Enums']["person_source_type"],"updated_at"?: string,"user_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "credit_belongs_to_episode"
      columns: ["credit_id","episode_id"]
isOneToOne: false
      referencedRelation: "episode_credits"
      referencedColumns: ["id","episode_id"]
    },{
      foreignKeyName: "episode_people_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_people_guest_id_fkey"
      columns: ["guest_id"]
isOneToOne: false
      referencedRelation: "episode_guests"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_people_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_people_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"episode_transcripts": {
                  Row: {
                    "bytes": number | null,"created_at": string,"display_order": number,"episode_id": string,"id": string,"language": string | null,"podcast_id": string,"rel": string | null,"type": string,"updated_at": string,"url": string
                  }
                  ComputedFields: never
                  Insert: {
                    "bytes"?: number | null,"created_at"?: string,"display_order"?: number,"episode_id": string,"id"?: string,"language"?: string | null,"podcast_id"?: string,"rel"?: string | null,"type": string,"updated_at"?: string,"url": string
                  }
                  Update: {
                    "bytes"?: number | null,"created_at"?: string,"display_order"?: number,"episode_id"?: string,"id"?: string,"language"?: string | null,"podcast_id"?: string,"rel"?: string | null,"type"?: string,"updated_at"?: string,"url"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "episode_transcripts_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episode_transcripts_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"episodes": {
                  Row: {
                    "alternate_enclosures": NonNullable<Json>,"audio_content_type": string | null,"audio_duration_seconds": number | null,"audio_file_size_bytes": number | null,"audio_has_seek_table": boolean | null,"audio_url": string | null,"chapters_url": string | null,"content_links": NonNullable<Json>,"cover_image_url": string | null,"created_at": string,"created_by": string | null,"description": string,"episode_display": string | null,"episode_number": number | null,"episode_type": Database["public"]['Enums']["episode_type"],"explicit": boolean,"extra_tags": NonNullable<Json>,"first_published_at": string | null,"funding": NonNullable<Json>,"guid": string,"id": string,"images": NonNullable<Json>,"is_blocked": boolean,"itunes_title": string | null,"keywords": NonNullable<Json>,"license": string | null,"license_url": string | null,"link": string | null,"locations": NonNullable<Json>,"origin": Database["public"]['Enums']["episode_origin"],"podcast_id": string,"published_at": string | null,"scheduled_at": string | null,"season_name": string | null,"season_number": number | null,"show_notes_html": string | null,"show_notes_safe_html": string | null,"show_notes_version": number | null,"slug": string,"social_interactions": NonNullable<Json>,"soundbites": NonNullable<Json>,"status": Database["public"]['Enums']["episode_status"],"subtitle": string | null,"summary": string | null,"tags": NonNullable<Json>,"texts": NonNullable<Json>,"title": string,"updated_at": string,"value_blocks": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "alternate_enclosures"?: NonNullable<Json>,"audio_content_type"?: string | null,"audio_duration_seconds"?: number | null,"audio_file_size_bytes"?: number | null,"audio_has_seek_table"?: boolean | null,"audio_url"?: string | null,"chapters_url"?: string | null,"content_links"?: NonNullable<Json>,"cover_image_url"?: string | null,"created_at"?: string,"created_by"?: string | null,"description"?: string,"episode_display"?: string | null,"episode_number"?: number | null,"episode_type"?: Database["public"]['Enums']["episode_type"],"explicit"?: boolean,"extra_tags"?: NonNullable<Json>,"first_published_at"?: string | null,"funding"?: NonNullable<Json>,"guid"?: string,"id"?: string,"images"?: NonNullable<Json>,"is_blocked"?: boolean,"itunes_title"?: string | null,"keywords"?: NonNullable<Json>,"license"?: string | null,"license_url"?: string | null,"link"?: string | null,"locations"?: NonNullable<Json>,"origin"?: Database["public"]['Enums']["episode_origin"],"podcast_id": string,"published_at"?: string | null,"scheduled_at"?: string | null,"season_name"?: string | null,"season_number"?: number | null,"show_notes_html"?: string | null,"show_notes_safe_html"?: string | null,"show_notes_version"?: number | null,"slug"?: string,"social_interactions"?: NonNullable<Json>,"soundbites"?: NonNullable<Json>,"status"?: Database["public"]['Enums']["episode_status"],"subtitle"?: string | null,"summary"?: string | null,"tags"?: NonNullable<Json>,"texts"?: NonNullable<Json>,"title": string,"updated_at"?: string,"value_blocks"?: NonNullable<Json>
                  }
                  Update: {
                    "alternate_enclosures"?: NonNullable<Json>,"audio_content_type"?: string | null,"audio_duration_seconds"?: number | null,"audio_file_size_bytes"?: number | null,"audio_has_seek_table"?: boolean | null,"audio_url"?: string | null,"chapters_url"?: string | null,"content_links"?: NonNullable<Json>,"cover_image_url"?: string | null,"created_at"?: string,"created_by"?: string | null,"description"?: string,"episode_display"?: string | null,"episode_number"?: number | null,"episode_type"?: Database["public"]['Enums']["episode_type"],"explicit"?: boolean,"extra_tags"?: NonNullable<Json>,"first_published_at"?: string | null,"funding"?: NonNullable<Json>,"guid"?: string,"id"?: string,"images"?: NonNullable<Json>,"is_blocked"?: boolean,"itunes_title"?: string | null,"keywords"?: NonNullable<Json>,"license"?: string | null,"license_url"?: string | null,"link"?: string | null,"locations"?: NonNullable<Json>,"origin"?: Database["public"]['Enums']["episode_origin"],"podcast_id"?: string,"published_at"?: string | null,"scheduled_at"?: string | null,"season_name"?: string | null,"season_number"?: number | null,"show_notes_html"?: string | null,"show_notes_safe_html"?: string | null,"show_notes_version"?: number | null,"slug"?: string,"social_interactions"?: NonNullable<Json>,"soundbites"?: NonNullable<Json>,"status"?: Database["public"]['Enums']["episode_status"],"subtitle"?: string | null,"summary"?: string | null,"tags"?: NonNullable<Json>,"texts"?: NonNullable<Json>,"title"?: string,"updated_at"?: string,"value_blocks"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "episodes_created_by_fkey"
      columns: ["created_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "episodes_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"notification_deliveries": {
                  Row: {
                    "channel": Database["public"]['Enums']["notification_channel"],"clicked_at": string | null,"collapse_key": string | null,"created_at": string,"delivered_at": string | null,"due_at": string,"episode_guest_id": string | null,"failed_at": string | null,"group_key": string | null,"id": string,"notification_id": string | null,"opened_at": string | null,"priority": Database["public"]['Enums']["notification_priority"],"queued_at": string | null,"request_id": string | null,"sent_at": string | null,"status": Database["public"]['Enums']["delivery_status"],"type": string,"updated_at": string,"user_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "channel": Database["public"]['Enums']["notification_channel"],"clicked_at"?: string | null,"collapse_key"?: string | null,"created_at"?: string,"delivered_at"?: string | null,"due_at"?: string,"episode_guest_id"?: string | null,"failed_at"?: string | null,"group_key"?: string | null,"id"?: string,"notification_id"?: string | null,"opened_at"?: string | null,"priority": Database["public"]['Enums']["notification_priority"],"queued_at"?: string | null,"request_id"?: string | null,"sent_at"?: string | null,"status"?: Database["public"]['Enums']["delivery_status"],"type": string,"updated_at"?: string,"user_id"?: string | null
                  }
                  Update: {
                    "channel"?: Database["public"]['Enums']["notification_channel"],"clicked_at"?: string | null,"collapse_key"?: string | null,"created_at"?: string,"delivered_at"?: string | null,"due_at"?: string,"episode_guest_id"?: string | null,"failed_at"?: string | null,"group_key"?: string | null,"id"?: string,"notification_id"?: string | null,"opened_at"?: string | null,"priority"?: Database["public"]['Enums']["notification_priority"],"queued_at"?: string | null,"request_id"?: string | null,"sent_at"?: string | null,"status"?: Database["public"]['Enums']["delivery_status"],"type"?: string,"updated_at"?: string,"user_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "notification_deliveries_episode_guest_id_fkey"
      columns: ["episode_guest_id"]
isOneToOne: false
      referencedRelation: "episode_guests"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notification_deliveries_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"notification_mutes": {
                  Row: {
                    "created_at": string,"episode_id": string | null,"id": string,"muted_until": string | null,"mutes_mentions": boolean,"podcast_id": string,"scope": Database["public"]['Enums']["notification_mute_scope"],"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"episode_id"?: string | null,"id"?: string,"muted_until"?: string | null,"mutes_mentions"?: boolean,"podcast_id": string,"scope": Database["public"]['Enums']["notification_mute_scope"],"user_id": string
                  }
                  Update: {
                    "created_at"?: string,"episode_id"?: string | null,"id"?: string,"muted_until"?: string | null,"mutes_mentions"?: boolean,"podcast_id"?: string,"scope"?: Database["public"]['Enums']["notification_mute_scope"],"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "notification_mutes_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notification_mutes_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notification_mutes_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "user_is_member"
      columns: ["podcast_id","user_id"]
isOneToOne: false
      referencedRelation: "podcast_members"
      referencedColumns: ["podcast_id","user_id"]
    }
                  ]
                },"notification_preferences": {
                  Row: {
                    "digest_frequency": Database["public"]['Enums']["digest_frequency"],"digest_hour": number,"digest_weekday": number,"email_automation_failed": boolean,"email_booking_cancelled": boolean,"email_booking_confirmed": boolean,"email_booking_reminder": boolean,"email_booking_rescheduled": boolean,"email_calendar": boolean,"email_chat_mention": boolean,"email_chat_message": boolean,"email_deletion_canceled": boolean,"email_digest": boolean,"email_episode_published": boolean,"email_guest_accepted": boolean,"email_guest_declined": boolean,"email_import_completed": boolean,"email_import_failed": boolean,"email_new_booking": boolean,"email_podcast_paused": boolean,"email_podcast_unpaused": boolean,"email_request_declined": boolean,"email_storage": boolean,"email_team_added": boolean,"email_team_changes": boolean,"email_transfer_accepted": boolean,"email_transfer_offered": boolean,"in_app_automation_failed": boolean,"in_app_billing": boolean,"in_app_booking_cancelled": boolean,"in_app_booking_confirmed": boolean,"in_app_booking_declined": boolean,"in_app_booking_reminder": boolean,"in_app_booking_rescheduled": boolean,"in_app_calendar": boolean,"in_app_chat_mention": boolean,"in_app_chat_message": boolean,"in_app_deletion_canceled": boolean,"in_app_deletion_scheduled": boolean,"in_app_episode_published": boolean,"in_app_guest_accepted": boolean,"in_app_guest_declined": boolean,"in_app_import_completed": boolean,"in_app_import_failed": boolean,"in_app_member_invited": boolean,"in_app_new_booking": boolean,"in_app_podcast_paused": boolean,"in_app_podcast_unpaused": boolean,"in_app_request_declined": boolean,"in_app_storage": boolean,"in_app_team_added": boolean,"in_app_team_changes": boolean,"in_app_transfer_accepted": boolean,"in_app_transfer_offered": boolean,"push_automation_failed": boolean,"push_billing": boolean,"push_booking_cancelled": boolean,"push_booking_confirmed": boolean,"push_booking_reminder": boolean,"push_booking_rescheduled": boolean,"push_calendar": boolean,"push_chat_mention": boolean,"push_chat_message": boolean,"push_deletion_canceled": boolean,"push_deletion_scheduled": boolean,"push_episode_published": boolean,"push_guest_accepted": boolean,"push_guest_declined": boolean,"push_import_completed": boolean,"push_import_failed": boolean,"push_member_invited": boolean,"push_new_booking": boolean,"push_podcast_paused": boolean,"push_podcast_unpaused": boolean,"push_request_declined": boolean,"push_storage": boolean,"push_team_added": boolean,"push_team_changes": boolean,"push_transfer_accepted": boolean,"push_transfer_offered": boolean,"quiet_hours_end": string | null,"quiet_hours_start": string | null,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "digest_frequency"?: Database["public"]['Enums']["digest_frequency"],"digest_hour"?: number,"digest_weekday"?: number,"email_automation_failed"?: boolean,"email_booking_cancelled"?: boolean,"email_booking_confirmed"?: boolean,"email_booking_reminder"?: boolean,"email_booking_rescheduled"?: boolean,"email_calendar"?: boolean,"email_chat_mention"?: boolean,"email_chat_message"?: boolean,"email_deletion_canceled"?: boolean,"email_digest"?: boolean,"email_episode_published"?: boolean,"email_guest_accepted"?: boolean,"email_guest_declined"?: boolean,"email_import_completed"?: boolean,"email_import_failed"?: boolean,"email_new_booking"?: boolean,"email_podcast_paused"?: boolean,"email_podcast_unpaused"?: boolean,"email_request_declined"?: boolean,"email_storage"?: boolean,"email_team_added"?: boolean,"email_team_changes"?: boolean,"email_transfer_accepted"?: boolean,"email_transfer_offered"?: boolean,"in_app_automation_failed"?: boolean,"in_app_billing"?: boolean,"in_app_booking_cancelled"?: boolean,"in_app_booking_confirmed"?: boolean,"in_app_booking_declined"?: boolean,"in_app_booking_reminder"?: boolean,"in_app_booking_rescheduled"?: boolean,"in_app_calendar"?: boolean,"in_app_chat_mention"?: boolean,"in_app_chat_message"?: boolean,"in_app_deletion_canceled"?: boolean,"in_app_deletion_scheduled"?: boolean,"in_app_episode_published"?: boolean,"in_app_guest_accepted"?: boolean,"in_app_guest_declined"?: boolean,"in_app_import_completed"?: boolean,"in_app_import_failed"?: boolean,"in_app_member_invited"?: boolean,"in_app_new_booking"?: boolean,"in_app_podcast_paused"?: boolean,"in_app_podcast_unpaused"?: boolean,"in_app_request_declined"?: boolean,"in_app_storage"?: boolean,"in_app_team_added"?: boolean,"in_app_team_changes"?: boolean,"in_app_transfer_accepted"?: boolean,"in_app_transfer_offered"?: boolean,"push_automation_failed"?: boolean,"push_billing"?: boolean,"push_booking_cancelled"?: boolean,"push_booking_confirmed"?: boolean,"push_booking_reminder"?: boolean,"push_booking_rescheduled"?: boolean,"push_calendar"?: boolean,"push_chat_mention"?: boolean,"push_chat_message"?: boolean,"push_deletion_canceled"?: boolean,"push_deletion_scheduled"?: boolean,"push_episode_published"?: boolean,"push_guest_accepted"?: boolean,"push_guest_declined"?: boolean,"push_import_completed"?: boolean,"push_import_failed"?: boolean,"push_member_invited"?: boolean,"push_new_booking"?: boolean,"push_podcast_paused"?: boolean,"push_podcast_unpaused"?: boolean,"push_request_declined"?: boolean,"push_storage"?: boolean,"push_team_added"?: boolean,"push_team_changes"?: boolean,"push_transfer_accepted"?: boolean,"push_transfer_offered"?: boolean,"quiet_hours_end"?: string | null,"quiet_hours_start"?: string | null,"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "digest_frequency"?: Database["public"]['Enums']["digest_frequency"],"digest_hour"?: number,"digest_weekday"?: number,"email_automation_failed"?: boolean,"email_booking_cancelled"?: boolean,"email_booking_confirmed"?: boolean,"email_booking_reminder"?: boolean,"email_booking_rescheduled"?: boolean,"email_calendar"?: boolean,"email_chat_mention"?: boolean,"email_chat_message"?: boolean,"email_deletion_canceled"?: boolean,"email_digest"?: boolean,"email_episode_published"?: boolean,"email_guest_accepted"?: boolean,"email_guest_declined"?: boolean,"email_import_completed"?: boolean,"email_import_failed"?: boolean,"email_new_booking"?: boolean,"email_podcast_paused"?: boolean,"email_podcast_unpaused"?: boolean,"email_request_declined"?: boolean,"email_storage"?: boolean,"email_team_added"?: boolean,"email_team_changes"?: boolean,"email_transfer_accepted"?: boolean,"email_transfer_offered"?: boolean,"in_app_automation_failed"?: boolean,"in_app_billing"?: boolean,"in_app_booking_cancelled"?: boolean,"in_app_booking_confirmed"?: boolean,"in_app_booking_declined"?: boolean,"in_app_booking_reminder"?: boolean,"in_app_booking_rescheduled"?: boolean,"in_app_calendar"?: boolean,"in_app_chat_mention"?: boolean,"in_app_chat_message"?: boolean,"in_app_deletion_canceled"?: boolean,"in_app_deletion_scheduled"?: boolean,"in_app_episode_published"?: boolean,"in_app_guest_accepted"?: boolean,"in_app_guest_declined"?: boolean,"in_app_import_completed"?: boolean,"in_app_import_failed"?: boolean,"in_app_member_invited"?: boolean,"in_app_new_booking"?: boolean,"in_app_podcast_paused"?: boolean,"in_app_podcast_unpaused"?: boolean,"in_app_request_declined"?: boolean,"in_app_storage"?: boolean,"in_app_team_added"?: boolean,"in_app_team_changes"?: boolean,"in_app_transfer_accepted"?: boolean,"in_app_transfer_offered"?: boolean,"push_automation_failed"?: boolean,"push_billing"?: boolean,"push_booking_cancelled"?: boolean,"push_booking_confirmed"?: boolean,"push_booking_reminder"?: boolean,"push_booking_rescheduled"?: boolean,"push_calendar"?: boolean,"push_chat_mention"?: boolean,"push_chat_message"?: boolean,"push_deletion_canceled"?: boolean,"push_deletion_scheduled"?: boolean,"push_episode_published"?: boolean,"push_guest_accepted"?: boolean,"push_guest_declined"?: boolean,"push_import_completed"?: boolean,"push_import_failed"?: boolean,"push_member_invited"?: boolean,"push_new_booking"?: boolean,"push_podcast_paused"?: boolean,"push_podcast_unpaused"?: boolean,"push_request_declined"?: boolean,"push_storage"?: boolean,"push_team_added"?: boolean,"push_team_changes"?: boolean,"push_transfer_accepted"?: boolean,"push_transfer_offered"?: boolean,"quiet_hours_end"?: string | null,"quiet_hours_start"?: string | null,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "notification_preferences_user_id_fkey"
      columns: ["user_id"]
isOneToOne: true
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"notification_types": {
                  Row: {
                    "asks_for_answer": boolean,"can_wait": boolean,"category": Database["public"]['Enums']["notification_category"],"channels": (Database["public"]['Enums']["notification_channel"])[],"collapses": boolean,"default_channels": (Database["public"]['Enums']["notification_channel"])[],"email_delay": string,"is_essential": boolean,"is_essential_to_addresses": boolean,"is_rendered_when_sent": boolean,"is_unsubscribed_per_podcast": boolean,"passes_mutes": boolean,"passes_quiet_hours": boolean,"preference": string | null,"priority": Database["public"]['Enums']["notification_priority"],"push_ttl": string,"quotes_people": boolean,"required_role": Database["public"]['Enums']["podcast_role"] | null,"subject": string | null,"type": string
                  }
                  ComputedFields: never
                  Insert: {
                    "asks_for_answer"?: boolean,"can_wait"?: boolean,"category": Database["public"]['Enums']["notification_category"],"channels": (Database["public"]['Enums']["notification_channel"])[],"collapses"?: boolean,"default_channels": (Database["public"]['Enums']["notification_channel"])[],"email_delay"?: string,"is_essential"?: boolean,"is_essential_to_addresses"?: boolean,"is_rendered_when_sent"?: boolean,"is_unsubscribed_per_podcast"?: boolean,"passes_mutes"?: boolean,"passes_quiet_hours"?: boolean,"preference"?: string | null,"priority": Database["public"]['Enums']["notification_priority"],"push_ttl"?: string,"quotes_people"?: boolean,"required_role"?: Database["public"]['Enums']["podcast_role"] | null,"subject"?: string | null,"type": string
                  }
                  Update: {
                    "asks_for_answer"?: boolean,"can_wait"?: boolean,"category"?: Database["public"]['Enums']["notification_category"],"channels"?: (Database["public"]['Enums']["notification_channel"])[],"collapses"?: boolean,"default_channels"?: (Database["public"]['Enums']["notification_channel"])[],"email_delay"?: string,"is_essential"?: boolean,"is_essential_to_addresses"?: boolean,"is_rendered_when_sent"?: boolean,"is_unsubscribed_per_podcast"?: boolean,"passes_mutes"?: boolean,"passes_quiet_hours"?: boolean,"preference"?: string | null,"priority"?: Database["public"]['Enums']["notification_priority"],"push_ttl"?: string,"quotes_people"?: boolean,"required_role"?: Database["public"]['Enums']["podcast_role"] | null,"subject"?: string | null,"type"?: string
                  }
                  Relationships: [
                    
                  ]
                },"notifications": {
                  Row: {
                    "archived_at": string | null,"body": string | null,"category": Database["public"]['Enums']["notification_category"],"created_at": string,"episode_guest_id": string | null,"group_key": string | null,"id": string,"link": string | null,"metadata": NonNullable<Json>,"priority": Database["public"]['Enums']["notification_priority"],"read_at": string | null,"released_for": string | null,"scheduled_for": string | null,"title": string,"type": string,"unlisted_user_id": string | null,"updated_at": string,"user_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "archived_at"?: string | null,"body"?: string | null,"category": Database["public"]['Enums']["notification_category"],"created_at"?: string,"episode_guest_id"?: string | null,"group_key"?: string | null,"id"?: string,"link"?: string | null,"metadata"?: NonNullable<Json>,"priority": Database["public"]['Enums']["notification_priority"],"read_at"?: string | null,"released_for"?: string | null,"scheduled_for"?: string | null,"title": string,"type": string,"unlisted_user_id"?: string | null,"updated_at"?: string,"user_id"?: string | null
                  }
                  Update: {
                    "archived_at"?: string | null,"body"?: string | null,"category"?: Database["public"]['Enums']["notification_category"],"created_at"?: string,"episode_guest_id"?: string | null,"group_key"?: string | null,"id"?: string,"link"?: string | null,"metadata"?: NonNullable<Json>,"priority"?: Database["public"]['Enums']["notification_priority"],"read_at"?: string | null,"released_for"?: string | null,"scheduled_for"?: string | null,"title"?: string,"type"?: string,"unlisted_user_id"?: string | null,"updated_at"?: string,"user_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "notifications_episode_guest_id_fkey"
      columns: ["episode_guest_id"]
isOneToOne: false
      referencedRelation: "episode_guests"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notifications_unlisted_user_id_fkey"
      columns: ["unlisted_user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notifications_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"plan_prices": {
                  Row: {
                    "currency": string,"interval": Database["public"]['Enums']["billing_interval"],"is_offered": boolean,"plan_code": string,"stripe_price_id": string,"unit_amount": number | null
                  }
                  ComputedFields: never
                  Insert: {
                    "currency": string,"interval": Database["public"]['Enums']["billing_interval"],"is_offered": boolean,"plan_code": string,"stripe_price_id": string,"unit_amount"?: number | null
                  }
                  Update: {
                    "currency"?: string,"interval"?: Database["public"]['Enums']["billing_interval"],"is_offered"?: boolean,"plan_code"?: string,"stripe_price_id"?: string,"unit_amount"?: number | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "plan_prices_plan_code_fkey"
      columns: ["plan_code"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["code"]
    }
                  ]
                },"plans": {
                  Row: {
                    "code": string,"is_paid": boolean,"name": string,"storage_gb_per_account": number
                  }
                  ComputedFields: never
                  Insert: {
                    "code": string,"is_paid": boolean,"name": string,"storage_gb_per_account": number
                  }
                  Update: {
                    "code"?: string,"is_paid"?: boolean,"name"?: string,"storage_gb_per_account"?: number
                  }
                  Relationships: [
                    
                  ]
                },"podcast_categories": {
                  Row: {
                    "category": string,"subcategory": string
                  }
                  ComputedFields: never
                  Insert: {
                    "category": string,"subcategory"?: string
                  }
                  Update: {
                    "category"?: string,"subcategory"?: string
                  }
                  Relationships: [
                    
                  ]
                },"podcast_credits": {
                  Row: {
                    "avatar_url": string | null,"created_at": string,"display_order": number,"external_url": string | null,"id": string,"name": string,"podcast_id": string,"role_label": Database["public"]['Enums']["credit_role_label"],"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "avatar_url"?: string | null,"created_at"?: string,"display_order": number,"external_url"?: string | null,"id"?: string,"name": string,"podcast_id": string,"role_label": Database["public"]['Enums']["credit_role_label"],"updated_at"?: string
                  }
                  Update: {
                    "avatar_url"?: string | null,"created_at"?: string,"display_order"?: number,"external_url"?: string | null,"id"?: string,"name"?: string,"podcast_id"?: string,"role_label"?: Database["public"]['Enums']["credit_role_label"],"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_credits_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_guest_notes": {
                  Row: {
                    "bio": string | null,"guest_id": string,"notes": string | null,"podcast_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "bio"?: string | null,"guest_id": string,"notes"?: string | null,"podcast_id"?: string
                  }
                  Update: {
                    "bio"?: string | null,"guest_id"?: string,"notes"?: string | null,"podcast_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_guest_notes_guest_id_fkey"
      columns: ["guest_id"]
isOneToOne: true
      referencedRelation: "podcast_guests"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_guest_notes_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_guests": {
                  Row: {
                    "created_at": string,"display_name": string,"email": string,"id": string,"podcast_id": string,"updated_at": string,"user_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"display_name": string,"email": string,"id"?: string,"podcast_id": string,"updated_at"?: string,"user_id"?: string | null
                  }
                  Update: {
                    "created_at"?: string,"display_name"?: string,"email"?: string,"id"?: string,"podcast_id"?: string,"updated_at"?: string,"user_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_guests_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_guests_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_import_channels": {
                  Row: {
                    "copies": NonNullable<Json>,"fields": NonNullable<Json>,"import_id": string,"losses": NonNullable<Json>,"podcast_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "copies"?: NonNullable<Json>,"fields": NonNullable<Json>,"import_id": string,"losses": NonNullable<Json>,"podcast_id": string
                  }
                  Update: {
                    "copies"?: NonNullable<Json>,"fields"?: NonNullable<Json>,"import_id"?: string,"losses"?: NonNullable<Json>,"podcast_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_import_channels_import_id_fkey"
      columns: ["import_id"]
isOneToOne: true
      referencedRelation: "podcast_imports"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_import_item_texts": {
                  Row: {
                    "content": string | null,"copies": NonNullable<Json>,"description": string | null,"extra_tags": NonNullable<Json>,"import_item_id": string,"losses": NonNullable<Json>,"podcast_id": string,"subtitle": string | null,"summary": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "content"?: string | null,"copies"?: NonNullable<Json>,"description"?: string | null,"extra_tags"?: NonNullable<Json>,"import_item_id": string,"losses"?: NonNullable<Json>,"podcast_id": string,"subtitle"?: string | null,"summary"?: string | null
                  }
                  Update: {
                    "content"?: string | null,"copies"?: NonNullable<Json>,"description"?: string | null,"extra_tags"?: NonNullable<Json>,"import_item_id"?: string,"losses"?: NonNullable<Json>,"podcast_id"?: string,"subtitle"?: string | null,"summary"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_import_item_texts_import_item_id_fkey"
      columns: ["import_item_id"]
isOneToOne: true
      referencedRelation: "podcast_import_items"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_import_items": {
                  Row: {
                    "attempts": number,"created_at": string,"episode_id": string | null,"error_code": string | null,"error_message": string | null,"guid": string,"id": string,"import_id": string,"next_attempt_at": string | null,"parsed_payload": NonNullable<Json>,"podcast_id": string,"position": number,"published_at": string | null,"refresh_fields": (string)[] | null,"refreshed_at": string | null,"status": Database["public"]['Enums']["import_item_status"],"title": string | null,"updated_at": string,"warnings": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "attempts"?: number,"created_at"?: string,"episode_id"?: string | null,"error_code"?: string | null,"error_message"?: string | null,"guid": string,"id"?: string,"import_id": string,"next_attempt_at"?: string | null,"parsed_payload": NonNullable<Json>,"podcast_id": string,"position": number,"published_at"?: string | null,"refresh_fields"?: (string)[] | null,"refreshed_at"?: string | null,"status"?: Database["public"]['Enums']["import_item_status"],"title"?: string | null,"updated_at"?: string,"warnings"?: NonNullable<Json>
                  }
                  Update: {
                    "attempts"?: number,"created_at"?: string,"episode_id"?: string | null,"error_code"?: string | null,"error_message"?: string | null,"guid"?: string,"id"?: string,"import_id"?: string,"next_attempt_at"?: string | null,"parsed_payload"?: NonNullable<Json>,"podcast_id"?: string,"position"?: number,"published_at"?: string | null,"refresh_fields"?: (string)[] | null,"refreshed_at"?: string | null,"status"?: Database["public"]['Enums']["import_item_status"],"title"?: string | null,"updated_at"?: string,"warnings"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_import_items_episode_id_fkey"
      columns: ["episode_id"]
isOneToOne: false
      referencedRelation: "episodes"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_import_items_import_id_fkey"
      columns: ["import_id"]
isOneToOne: false
      referencedRelation: "podcast_imports"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_import_items_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_imports": {
                  Row: {
                    "apply_detected_episode_numbers": boolean | null,"channel_explicit": boolean | null,"completed_count": number,"created_at": string,"created_by": string | null,"detection": Json | null,"error_code": string | null,"error_message": string | null,"failed_count": number,"feed_due_at": string | null,"feed_podcast_guid": string | null,"feed_url": string,"finished_at": string | null,"future_items": Database["public"]['Enums']["import_future_items"] | null,"id": string,"is_hosting_migration": boolean,"is_locked_source": boolean,"locked_owner_email": string | null,"podcast_id": string,"skipped_count": number,"staged_at": string | null,"started_at": string | null,"status": Database["public"]['Enums']["import_status"],"total_items": number,"updated_at": string,"verification_method": Database["public"]['Enums']["import_verification_method"] | null,"verification_token": string | null,"warnings": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "apply_detected_episode_numbers"?: boolean | null,"channel_explicit"?: boolean | null,"completed_count"?: number,"created_at"?: string,"created_by"?: string | null,"detection"?: Json | null,"error_code"?: string | null,"error_message"?: string | null,"failed_count"?: number,"feed_due_at"?: string | null,"feed_podcast_guid"?: string | null,"feed_url": string,"finished_at"?: string | null,"future_items"?: Database["public"]['Enums']["import_future_items"] | null,"id"?: string,"is_hosting_migration"?: boolean,"is_locked_source"?: boolean,"locked_owner_email"?: string | null,"podcast_id": string,"skipped_count"?: number,"staged_at"?: string | null,"started_at"?: string | null,"status"?: Database["public"]['Enums']["import_status"],"total_items"?: number,"updated_at"?: string,"verification_method"?: Database["public"]['Enums']["import_verification_method"] | null,"verification_token"?: string | null,"warnings"?: NonNullable<Json>
                  }
                  Update: {
                    "apply_detected_episode_numbers"?: boolean | null,"channel_explicit"?: boolean | null,"completed_count"?: number,"created_at"?: string,"created_by"?: string | null,"detection"?: Json | null,"error_code"?: string | null,"error_message"?: string | null,"failed_count"?: number,"feed_due_at"?: string | null,"feed_podcast_guid"?: string | null,"feed_url"?: string,"finished_at"?: string | null,"future_items"?: Database["public"]['Enums']["import_future_items"] | null,"id"?: string,"is_hosting_migration"?: boolean,"is_locked_source"?: boolean,"locked_owner_email"?: string | null,"podcast_id"?: string,"skipped_count"?: number,"staged_at"?: string | null,"started_at"?: string | null,"status"?: Database["public"]['Enums']["import_status"],"total_items"?: number,"updated_at"?: string,"verification_method"?: Database["public"]['Enums']["import_verification_method"] | null,"verification_token"?: string | null,"warnings"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_imports_created_by_fkey"
      columns: ["created_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_imports_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_invitations": {
                  Row: {
                    "accepted_by": string | null,"created_at": string,"email": string,"email_due_at": string | null,"email_status": Database["public"]['Enums']["email_status"] | null,"expires_at": string,"id": string,"invited_by": string | null,"inviter_name": string | null,"podcast_id": string,"podcast_title": string,"role": Database["public"]['Enums']["podcast_role"],"status": Database["public"]['Enums']["podcast_invitation_status"],"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "accepted_by"?: string | null,"created_at"?: string,"email": string,"email_due_at"?: string | null,"email_status"?: Database["public"]['Enums']["email_status"] | null,"expires_at": string,"id"?: string,"invited_by"?: string | null,"inviter_name"?: string | null,"podcast_id": string,"podcast_title": string,"role"?: Database["public"]['Enums']["podcast_role"],"status"?: Database["public"]['Enums']["podcast_invitation_status"],"updated_at"?: string
                  }
                  Update: {
                    "accepted_by"?: string | null,"created_at"?: string,"email"?: string,"email_due_at"?: string | null,"email_status"?: Database["public"]['Enums']["email_status"] | null,"expires_at"?: string,"id"?: string,"invited_by"?: string | null,"inviter_name"?: string | null,"podcast_id"?: string,"podcast_title"?: string,"role"?: Database["public"]['Enums']["podcast_role"],"status"?: Database["public"]['Enums']["podcast_invitation_status"],"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_invitations_accepted_by_fkey"
      columns: ["accepted_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_invitations_invited_by_fkey"
      columns: ["invited_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_invitations_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_members": {
                  Row: {
                    "auto_add_to_new_episodes": boolean,"created_at": string,"podcast_id": string,"role": Database["public"]['Enums']["podcast_role"],"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "auto_add_to_new_episodes"?: boolean,"created_at"?: string,"podcast_id": string,"role"?: Database["public"]['Enums']["podcast_role"],"user_id": string
                  }
                  Update: {
                    "auto_add_to_new_episodes"?: boolean,"created_at"?: string,"podcast_id"?: string,"role"?: Database["public"]['Enums']["podcast_role"],"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_members_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_members_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"podcast_transfers": {
                  Row: {
                    "created_at": string,"id": string,"offered_by": string,"podcast_id": string,"status": Database["public"]['Enums']["podcast_transfer_status"],"storage_bytes": number,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"id"?: string,"offered_by": string,"podcast_id": string,"status"?: Database["public"]['Enums']["podcast_transfer_status"],"storage_bytes"?: number,"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "created_at"?: string,"id"?: string,"offered_by"?: string,"podcast_id"?: string,"status"?: Database["public"]['Enums']["podcast_transfer_status"],"storage_bytes"?: number,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcast_transfers_offered_by_fkey"
      columns: ["offered_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_transfers_podcast_id_fkey"
      columns: ["podcast_id"]
isOneToOne: false
      referencedRelation: "podcasts"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "podcast_transfers_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"podcasts": {
                  Row: {
                    "ai_disclosure": string | null,"apple_verify_token": string | null,"author": string | null,"banner_image_url": string | null,"categories": NonNullable<Json>,"copyright": string | null,"cover_image_url": string | null,"created_at": string,"deletion_redirect_url": string | null,"deletion_requested_at": string | null,"deletion_scheduled_at": string | null,"description": string,"directory_blocks": NonNullable<Json>,"directory_links": NonNullable<Json>,"explicit": boolean,"extra_tags": NonNullable<Json>,"feed_page_size": number | null,"feed_redirect_url": string | null,"funding": NonNullable<Json>,"header_image_url": string | null,"hosting_type": Database["public"]['Enums']["hosting_type"],"id": string,"images": NonNullable<Json>,"is_being_deleted": boolean,"is_blocked": boolean,"is_complete": boolean,"keywords": NonNullable<Json>,"language": string,"last_pause_ended_at": string | null,"license": string | null,"license_url": string | null,"link": string | null,"locations": NonNullable<Json>,"locked": boolean,"medium": string,"owner_email": string | null,"owner_id": string,"owner_name": string | null,"pause_expires_at": string | null,"paused_at": string | null,"podcast_guid": string,"podroll": NonNullable<Json>,"profile_image_url": string | null,"publisher": Json | null,"remote_items": NonNullable<Json>,"show_owner_email": boolean,"slug": string,"social_interactions": NonNullable<Json>,"status": Database["public"]['Enums']["podcast_status"],"tags": NonNullable<Json>,"title": string,"type": Database["public"]['Enums']["podcast_type"],"update_frequency": Json | null,"updated_at": string,"value_blocks": NonNullable<Json>,"verify_texts": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "ai_disclosure"?: string | null,"apple_verify_token"?: string | null,"author"?: string | null,"banner_image_url"?: string | null,"categories"?: NonNullable<Json>,"copyright"?: string | null,"cover_image_url"?: string | null,"created_at"?: string,"deletion_redirect_url"?: string | null,"deletion_requested_at"?: string | null,"deletion_scheduled_at"?: string | null,"description"?: string,"directory_blocks"?: NonNullable<Json>,"directory_links"?: NonNullable<Json>,"explicit"?: boolean,"extra_tags"?: NonNullable<Json>,"feed_page_size"?: number | null,"feed_redirect_url"?: string | null,"funding"?: NonNullable<Json>,"header_image_url"?: string | null,"hosting_type"?: Database["public"]['Enums']["hosting_type"],"id"?: string,"images"?: NonNullable<Json>,"is_being_deleted"?: never,"is_blocked"?: boolean,"is_complete"?: boolean,"keywords"?: NonNullable<Json>,"language"?: string,"last_pause_ended_at"?: string | null,"license"?: string | null,"license_url"?: string | null,"link"?: string | null,"locations"?: NonNullable<Json>,"locked"?: boolean,"medium"?: string,"owner_email"?: string | null,"owner_id"?: string,"owner_name"?: string | null,"pause_expires_at"?: string | null,"paused_at"?: string | null,"podcast_guid"?: string,"podroll"?: NonNullable<Json>,"profile_image_url"?: string | null,"publisher"?: Json | null,"remote_items"?: NonNullable<Json>,"show_owner_email"?: boolean,"slug"?: string,"social_interactions"?: NonNullable<Json>,"status"?: Database["public"]['Enums']["podcast_status"],"tags"?: NonNullable<Json>,"title": string,"type"?: Database["public"]['Enums']["podcast_type"],"update_frequency"?: Json | null,"updated_at"?: string,"value_blocks"?: NonNullable<Json>,"verify_texts"?: NonNullable<Json>
                  }
                  Update: {
                    "ai_disclosure"?: string | null,"apple_verify_token"?: string | null,"author"?: string | null,"banner_image_url"?: string | null,"categories"?: NonNullable<Json>,"copyright"?: string | null,"cover_image_url"?: string | null,"created_at"?: string,"deletion_redirect_url"?: string | null,"deletion_requested_at"?: string | null,"deletion_scheduled_at"?: string | null,"description"?: string,"directory_blocks"?: NonNullable<Json>,"directory_links"?: NonNullable<Json>,"explicit"?: boolean,"extra_tags"?: NonNullable<Json>,"feed_page_size"?: number | null,"feed_redirect_url"?: string | null,"funding"?: NonNullable<Json>,"header_image_url"?: string | null,"hosting_type"?: Database["public"]['Enums']["hosting_type"],"id"?: string,"images"?: NonNullable<Json>,"is_being_deleted"?: never,"is_blocked"?: boolean,"is_complete"?: boolean,"keywords"?: NonNullable<Json>,"language"?: string,"last_pause_ended_at"?: string | null,"license"?: string | null,"license_url"?: string | null,"link"?: string | null,"locations"?: NonNullable<Json>,"locked"?: boolean,"medium"?: string,"owner_email"?: string | null,"owner_id"?: string,"owner_name"?: string | null,"pause_expires_at"?: string | null,"paused_at"?: string | null,"podcast_guid"?: string,"podroll"?: NonNullable<Json>,"profile_image_url"?: string | null,"publisher"?: Json | null,"remote_items"?: NonNullable<Json>,"show_owner_email"?: boolean,"slug"?: string,"social_interactions"?: NonNullable<Json>,"status"?: Database["public"]['Enums']["podcast_status"],"tags"?: NonNullable<Json>,"title"?: string,"type"?: Database["public"]['Enums']["podcast_type"],"update_frequency"?: Json | null,"updated_at"?: string,"value_blocks"?: NonNullable<Json>,"verify_texts"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "podcasts_owner_id_fkey"
      columns: ["owner_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"profiles": {
                  Row: {
                    "avatar_url": string | null,"created_at": string,"display_name": string | null,"id": string,"locale": string,"timezone": string | null,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "avatar_url"?: string | null,"created_at"?: string,"display_name"?: string | null,"id": string,"locale"?: string,"timezone"?: string | null,"updated_at"?: string
                  }
                  Update: {
                    "avatar_url"?: string | null,"created_at"?: string,"display_name"?: string | null,"id"?: string,"locale"?: string,"timezone"?: string | null,"updated_at"?: string
                  }
                  Relationships: [
                    
                  ]
                },"push_subscriptions": {
                  Row: {
                    "created_at": string,"device_label": string | null,"endpoint": string,"expiration_time": string | null,"id": string,"is_active": boolean,"last_failure_at": string | null,"last_used_at": string | null,"rejected_since": string | null,"updated_at": string,"user_agent": string | null,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"device_label"?: string | null,"endpoint": string,"expiration_time"?: string | null,"id"?: string,"is_active"?: boolean,"last_failure_at"?: string | null,"last_used_at"?: string | null,"rejected_since"?: string | null,"updated_at"?: string,"user_agent"?: string | null,"user_id": string
                  }
                  Update: {
                    "created_at"?: string,"device_label"?: string | null,"endpoint"?: string,"expiration_time"?: string | null,"id"?: string,"is_active"?: boolean,"last_failure_at"?: string | null,"last_used_at"?: string | null,"rejected_since"?: string | null,"updated_at"?: string,"user_agent"?: string | null,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "push_subscriptions_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                }
          }
          Views: {
            [_ in never]: never
          }
          Functions: {
            "accept_guest_invitation":
{ Args: { "access_token": string }; Returns: Json
                           },
"accept_podcast_invitation":
{ Args: { "invitation_id": string }; Returns: {
              "auto_add_to_new_episodes": boolean,
"created_at": string,
"podcast_id": string,
"role": Database["public"]['Enums']["podcast_role"],
"user_id": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_members"
        isOneToOne: true
        isSetofReturn: false
      } },
"accept_podcast_transfer":
{ Args: { "transfer_id": string }; Returns: Json
                           },
"add_episode_person":
{ Args: { "avatar_url"?: string,"episode_id": string,"external_url"?: string,"guest_id"?: string,"name": string,"role_label"?: string,"source_type": Database["public"]['Enums']["person_source_type"],"user_id"?: string }; Returns: Json
                           },
"add_push_subscription":
{ Args: { "device_label"?: string,"subscription": Json,"user_agent"?: string }; Returns: Json
                           },
"archive_episode":
{ Args: { "episode_id": string }; Returns: {
              "alternate_enclosures": NonNullable<Json>,
"audio_content_type": string | null,
"audio_duration_seconds": number | null,
"audio_file_size_bytes": number | null,
"audio_has_seek_table": boolean | null,
"audio_url": string | null,
"chapters_url": string | null,
"content_links": NonNullable<Json>,
"cover_image_url": string | null,
"created_at": string,
"created_by": string | null,
"description": string,
"episode_display": string | null,
"episode_number": number | null,
"episode_type": Database["public"]['Enums']["episode_type"],
"explicit": boolean,
"extra_tags": NonNullable<Json>,
"first_published_at": string | null,
"funding": NonNullable<Json>,
"guid": string,
"id": string,
"images": NonNullable<Json>,
"is_blocked": boolean,
"itunes_title": string | null,
"keywords": NonNullable<Json>,
"license": string | null,
"license_url": string | null,
"link": string | null,
"locations": NonNullable<Json>,
"origin": Database["public"]['Enums']["episode_origin"],
"podcast_id": string,
"published_at": string | null,
"scheduled_at": string | null,
"season_name": string | null,
"season_number": number | null,
"show_notes_html": string | null,
"show_notes_safe_html": string | null,
"show_notes_version": number | null,
"slug": string,
"social_interactions": NonNullable<Json>,
"soundbites": NonNullable<Json>,
"status": Database["public"]['Enums']["episode_status"],
"subtitle": string | null,
"summary": string | null,
"tags": NonNullable<Json>,
"texts": NonNullable<Json>,
"title": string,
"updated_at": string,
"value_blocks": NonNullable<Json>
            }
                          SetofOptions: {
        from: "*"
        to: "episodes"
        isOneToOne: true
        isSetofReturn: false
      } },
"archive_notification":
{ Args: { "notification_id": string }; Returns: {
              "archived_at": string | null,
"body": string | null,
"category": Database["public"]['Enums']["notification_category"],
"created_at": string,
"episode_guest_id": string | null,
"group_key": string | null,
"id": string,
"link": string | null,
"metadata": NonNullable<Json>,
"priority": Database["public"]['Enums']["notification_priority"],
"read_at": string | null,
"released_for": string | null,
"scheduled_for": string | null,
"title": string,
"type": string,
"unlisted_user_id": string | null,
"updated_at": string,
"user_id": string | null
            }
                          SetofOptions: {
        from: "*"
        to: "notifications"
        isOneToOne: true
        isSetofReturn: false
      } },
"archive_notification_group":
{ Args: { "group_key": string,"link": string }; Returns: Json
                           },
"authorize_artwork_import":
{ Args: { "image_type"?: string,"podcast_id"?: string }; Returns: Json
                           },
"authorize_audio_upload":
{ Args: { "content_type": string,"episode_id": string,"podcast_id": string }; Returns: Json
                           },
"authorize_image_upload":
{ Args: { "content_type": string,"episode_id"?: string,"image_type": string,"podcast_id": string }; Returns: Json
                           },
"authorize_transcript_upload":
{ Args: { "content_type": string,"episode_id": string,"language"?: string,"podcast_id": string,"rel"?: string }; Returns: Json
                           },
"begin_artwork_import":
{ Args: { "bytes": number,"content_type": string,"image"?: Json,"image_type"?: string,"podcast_id"?: string }; Returns: Json
                           },
"begin_artwork_move":
{ Args: { "image_type": string,"podcast_id": string,"source_path": string }; Returns: Json
                           },
"begin_audio_upload":
{ Args: { "bytes": number,"content_type": string,"episode_id": string,"podcast_id": string }; Returns: Json
                           },
"begin_calendar_connection":
{ Args: { "provider": string }; Returns: Json
                           },
"begin_direct_upload":
{ Args: { "content_type": string,"episode_id": string,"file_size": number,"filename": string,"podcast_id": string }; Returns: Json
                           },
"begin_direct_upload_completion":
{ Args: { "upload_id": string }; Returns: Json
                           },
"begin_feed_recheck":
{ Args: { "import_id": string }; Returns: Json
                           },
"begin_image_upload":
{ Args: { "bytes": number,"content_type": string,"episode_id"?: string,"image"?: Json,"image_type": string,"podcast_id": string }; Returns: Json
                           },
"begin_transcript_upload":
{ Args: { "bytes": number,"content_type": string,"episode_id": string,"language"?: string,"podcast_id": string }; Returns: Json
                           },
"cancel_booking":
{ Args: { "booking_id": string,"message"?: string }; Returns: Json
                           },
"cancel_deletion":
{ Args: { "podcast_id": string }; Returns: Json
                           },
"cancel_guest_booking":
{ Args: { "access_token": string,"message"?: string }; Returns: Json
                           },
"cancel_import":
{ Args: { "import_id": string }; Returns: Json
                           },
"check_health":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"confirm_automation_address":
{ Args: { "access_token": string }; Returns: Json
                           },
"confirm_booking":
{ Args: { "booking_id": string,"episode_id"?: string }; Returns: Json
                           },
"confirm_email_address":
{ Args: { "code": string }; Returns: Json
                           },
"confirm_import":
{ Args: { "apply_channel"?: (string)[],"apply_detected_episode_numbers"?: boolean,"fits_storage"?: boolean,"future_items"?: Database["public"]['Enums']["import_future_items"],"import_id": string,"item_ids"?: (string)[],"limit"?: number,"refresh_fields"?: (string)[],"refresh_item_ids"?: (string)[] }; Returns: Json
                           },
"count_public_sitemaps":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"create_automation_rule":
{ Args: { "actions"?: Json,"condition_mode"?: string,"conditions"?: Json,"description"?: string,"is_enabled"?: boolean,"name": string,"podcast_id": string,"reply_to"?: string,"trigger_config"?: Json,"trigger_type": Database["public"]['Enums']["automation_trigger"],"workflow_data"?: Json }; Returns: Json
                           },
"create_automation_template":
{ Args: { "body_html"?: string,"body_text"?: string,"category"?: Database["public"]['Enums']["automation_template_category"],"description"?: string,"has_button"?: boolean,"name": string,"podcast_id": string,"subject": string }; Returns: Json
                           },
"create_booking_link":
{ Args: { "availability_rules"?: Json,"buffer_after_minutes"?: number,"buffer_before_minutes"?: number,"conflict_scope"?: Database["public"]['Enums']["conflict_scope"],"date_overrides"?: Json,"description"?: string,"duration_minutes"?: number,"is_active"?: boolean,"location"?: Json,"max_advance_days"?: number,"min_notice_hours"?: number,"name": string,"podcast_id": string,"questions"?: Json,"requires_confirmation"?: boolean,"slug"?: string,"timezone": string }; Returns: Json
                           },
"create_episode":
{ Args: { "description"?: string,"episode_number"?: number,"episode_type"?: Database["public"]['Enums']["episode_type"],"explicit"?: boolean,"podcast_id": string,"season_number"?: number,"show_notes_html"?: string,"slug"?: string,"summary"?: string,"title": string }; Returns: {
              "alternate_enclosures": NonNullable<Json>,
"audio_content_type": string | null,
"audio_duration_seconds": number | null,
"audio_file_size_bytes": number | null,
"audio_has_seek_table": boolean | null,
"audio_url": string | null,
"chapters_url": string | null,
"content_links": NonNullable<Json>,
"cover_image_url": string | null,
"created_at": string,
"created_by": string | null,
"description": string,
"episode_display": string | null,
"episode_number": number | null,
"episode_type": Database["public"]['Enums']["episode_type"],
"explicit": boolean,
"extra_tags": NonNullable<Json>,
"first_published_at": string | null,
"funding": NonNullable<Json>,
"guid": string,
"id": string,
"images": NonNullable<Json>,
"is_blocked": boolean,
"itunes_title": string | null,
"keywords": NonNullable<Json>,
"license": string | null,
"license_url": string | null,
"link": string | null,
"locations": NonNullable<Json>,
"origin": Database["public"]['Enums']["episode_origin"],
"podcast_id": string,
"published_at": string | null,
"scheduled_at": string | null,
"season_name": string | null,
"season_number": number | null,
"show_notes_html": string | null,
"show_notes_safe_html": string | null,
"show_notes_version": number | null,
"slug": string,
"social_interactions": NonNullable<Json>,
"soundbites": NonNullable<Json>,
"status": Database["public"]['Enums']["episode_status"],
"subtitle": string | null,
"summary": string | null,
"tags": NonNullable<Json>,
"texts": NonNullable<Json>,
"title": string,
"updated_at": string,
"value_blocks": NonNullable<Json>
            }
                          SetofOptions: {
        from: "*"
        to: "episodes"
        isOneToOne: true
        isSetofReturn: false
      } },
"create_podcast":
{ Args: { "author"?: string,"categories"?: Json,"description"?: string,"explicit"?: boolean,"hosting_type"?: Database["public"]['Enums']["hosting_type"],"language"?: string,"link"?: string,"slug"?: string,"title": string,"type"?: Database["public"]['Enums']["podcast_type"] }; Returns: {
              "ai_disclosure": string | null,
"apple_verify_token": string | null,
"author": string | null,
"banner_image_url": string | null,
"categories": NonNullable<Json>,
"copyright": string | null,
"cover_image_url": string | null,
"created_at": string,
"deletion_redirect_url": string | null,
"deletion_requested_at": string | null,
"deletion_scheduled_at": string | null,
"description": string,
"directory_blocks": NonNullable<Json>,
"directory_links": NonNullable<Json>,
"explicit": boolean,
"extra_tags": NonNullable<Json>,
"feed_page_size": number | null,
"feed_redirect_url": string | null,
"funding": NonNullable<Json>,
"header_image_url": string | null,
"hosting_type": Database["public"]['Enums']["hosting_type"],
"id": string,
"images": NonNullable<Json>,
"is_being_deleted": boolean,
"is_blocked": boolean,
"is_complete": boolean,
"keywords": NonNullable<Json>,
"language": string,
"last_pause_ended_at": string | null,
"license": string | null,
"license_url": string | null,
"link": string | null,
"locations": NonNullable<Json>,
"locked": boolean,
"medium": string,
"owner_email": string | null,
"owner_id": string,
"owner_name": string | null,
"pause_expires_at": string | null,
"paused_at": string | null,
"podcast_guid": string,
"podroll": NonNullable<Json>,
"profile_image_url": string | null,
"publisher": Json | null,
"remote_items": NonNullable<Json>,
"show_owner_email": boolean,
"slug": string,
"social_interactions": NonNullable<Json>,
"status": Database["public"]['Enums']["podcast_status"],
"tags": NonNullable<Json>,
"title": string,
"type": Database["public"]['Enums']["podcast_type"],
"update_frequency": Json | null,
"updated_at": string,
"value_blocks": NonNullable<Json>,
"verify_texts": NonNullable<Json>
            }
                          SetofOptions: {
        from: "*"
        to: "podcasts"
        isOneToOne: true
        isSetofReturn: false
      } },
"decline_booking":
{ Args: { "booking_id": string,"message"?: string }; Returns: Json
                           },
"decline_guest_invitation":
{ Args: { "access_token": string }; Returns: Json
                           },
"decline_podcast_invitation":
{ Args: { "block"?: boolean,"invitation_id": string }; Returns: {
              "accepted_by": string | null,
"created_at": string,
"email": string,
"email_due_at": string | null,
"email_status": Database["public"]['Enums']["email_status"] | null,
"expires_at": string,
"id": string,
"invited_by": string | null,
"inviter_name": string | null,
"podcast_id": string,
"podcast_title": string,
"role": Database["public"]['Enums']["podcast_role"],
"status": Database["public"]['Enums']["podcast_invitation_status"],
"updated_at": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_invitations"
        isOneToOne: true
        isSetofReturn: false
      } },
"decline_podcast_transfer":
{ Args: { "transfer_id": string }; Returns: {
              "created_at": string,
"id": string,
"offered_by": string,
"podcast_id": string,
"status": Database["public"]['Enums']["podcast_transfer_status"],
"storage_bytes": number,
"updated_at": string,
"user_id": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_transfers"
        isOneToOne: true
        isSetofReturn: false
      } },
"delete_account":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"delete_automation_address":
{ Args: { "address_id": string }; Returns: Json
                           },
"delete_automation_rule":
{ Args: { "rule_id": string }; Returns: Json
                           },
"delete_automation_template":
{ Args: { "template_id": string }; Returns: Json
                           },
"delete_booking_link":
{ Args: { "booking_link_id": string }; Returns: Json
                           },
"delete_episode_message":
{ Args: { "message_id": string }; Returns: {
              "body": string | null,
"created_at": string,
"deleted_at": string | null,
"episode_id": string,
"id": string,
"podcast_id": string,
"sender_guest_id": string | null,
"sender_name": string | null,
"sender_user_id": string | null
            }
                          SetofOptions: {
        from: "*"
        to: "episode_messages"
        isOneToOne: true
        isSetofReturn: false
      } },
"delete_notification":
{ Args: { "notification_id": string }; Returns: {
              "archived_at": string | null,
"body": string | null,
"category": Database["public"]['Enums']["notification_category"],
"created_at": string,
"episode_guest_id": string | null,
"group_key": string | null,
"id": string,
"link": string | null,
"metadata": NonNullable<Json>,
"priority": Database["public"]['Enums']["notification_priority"],
"read_at": string | null,
"released_for": string | null,
"scheduled_for": string | null,
"title": string,
"type": string,
"unlisted_user_id": string | null,
"updated_at": string,
"user_id": string | null
            }
                          SetofOptions: {
        from: "*"
        to: "notifications"
        isOneToOne: true
        isSetofReturn: false
      } },
"delete_podcast":
{ Args: { "confirm_name": string,"podcast_id": string,"redirect_days"?: number,"redirect_url"?: string }; Returns: Json
                           },
"delete_podcast_image":
{ Args: { "image_type": string,"podcast_id": string }; Returns: Json
                           },
"drop_queue_message":
{ Args: { "message_id": number,"queue": string }; Returns: Json
                           },
"dry_run_automation_rule":
{ Args: { "booking_id"?: string,"episode_guest_id"?: string,"episode_id"?: string,"import_id"?: string,"rule_id": string }; Returns: Json
                           },
"explain_availability":
{ Args: { "booking_link_id": string,"date": string }; Returns: Json
                           },
"export_account":
{ Args: { "cursor"?: string }; Returns: Json
                           },
"get_automation_execution":
{ Args: { "execution_id": string }; Returns: Json
                           },
"get_automation_rule":
{ Args: { "rule_id": string }; Returns: Json
                           },
"get_automation_stats":
{ Args: { "days"?: number,"podcast_id": string }; Returns: Json
                           },
"get_automation_template":
{ Args: { "template_id": string }; Returns: Json
                           },
"get_availability":
{ Args: { "booking_link_id": string,"date": string,"timezone"?: string }; Returns: Json
                           },
"get_billing":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"get_email_status":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"get_episode_cover":
{ Args: { "episode_id": string }; Returns: Json
                           },
"get_feed_report":
{ Args: { "cursor"?: string,"limit"?: number,"podcast_id": string }; Returns: Json
                           },
"get_guest_booking":
{ Args: { "access_token": string }; Returns: Json
                           },
"get_guest_episode":
{ Args: { "access_token": string }; Returns: Json
                           },
"get_import":
{ Args: { "import_id": string }; Returns: Json
                           },
"get_import_refresh":
{ Args: { "cursor"?: string,"import_id": string,"limit"?: number }; Returns: Json
                           },
"get_import_report":
{ Args: { "cursor"?: string,"import_id": string,"limit"?: number }; Returns: Json
                           },
"get_import_switch":
{ Args: { "import_id": string }; Returns: Json
                           },
"get_latest_public_episode":
{ Args: { "slug": string }; Returns: Json
                           },
"get_month_availability":
{ Args: { "booking_link_id": string,"month": number,"timezone"?: string,"year": number }; Returns: Json
                           },
"get_notification_counts":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"get_oembed":
{ Args: { "maxheight"?: number,"maxwidth"?: number,"url": string }; Returns: Json
                           },
"get_podcast_guest":
{ Args: { "podcast_guest_id": string }; Returns: Json
                           },
"get_podcast_lifecycle":
{ Args: { "podcast_id": string }; Returns: Json
                           },
"get_public_booking_link":
{ Args: { "booking_link_id"?: string,"link_slug"?: string,"podcast_slug"?: string }; Returns: Json
                           },
"get_public_chapters":
{ Args: { "episode_id": string }; Returns: Json
                           },
"get_public_episode":
{ Args: { "id_or_slug": string,"slug": string }; Returns: Json
                           },
"get_public_episode_by_id":
{ Args: { "episode_id": string }; Returns: Json
                           },
"get_public_neighbors":
{ Args: { "id_or_slug": string,"slug": string }; Returns: Json
                           },
"get_public_podcast":
{ Args: { "slug": string }; Returns: Json
                           },
"get_queue_message":
{ Args: { "message_id": number,"queue": string }; Returns: Json
                           },
"get_storage_usage":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"get_unread_count":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"invite_guest":
{ Args: { "display_name": string,"email": string,"episode_id": string,"message"?: string }; Returns: Json
                           },
"invite_podcast_member":
{ Args: { "email": string,"podcast_id": string,"role"?: Database["public"]['Enums']["podcast_role"] }; Returns: {
              "accepted_by": string | null,
"created_at": string,
"email": string,
"email_due_at": string | null,
"email_status": Database["public"]['Enums']["email_status"] | null,
"expires_at": string,
"id": string,
"invited_by": string | null,
"inviter_name": string | null,
"podcast_id": string,
"podcast_title": string,
"role": Database["public"]['Enums']["podcast_role"],
"status": Database["public"]['Enums']["podcast_invitation_status"],
"updated_at": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_invitations"
        isOneToOne: true
        isSetofReturn: false
      } },
"lift_email_suppression":
{ Args: { "email": string }; Returns: Json
                           },
"list_automation_addresses":
{ Args: { "podcast_id": string }; Returns: Json
                           },
"list_automation_executions":
{ Args: { "booking_id"?: string,"created_from"?: string,"created_to"?: string,"episode_id"?: string,"guest_email"?: string,"is_test"?: boolean,"limit"?: number,"offset"?: number,"podcast_id": string,"rule_id"?: string,"status"?: Database["public"]['Enums']["automation_execution_status"] }; Returns: Json
                           },
"list_automation_rules":
{ Args: { "is_enabled"?: boolean,"podcast_id": string }; Returns: Json
                           },
"list_automation_templates":
{ Args: { "category"?: Database["public"]['Enums']["automation_template_category"],"limit"?: number,"offset"?: number,"podcast_id": string }; Returns: Json
                           },
"list_booking_links":
{ Args: { "podcast_id": string }; Returns: Json
                           },
"list_bookings":
{ Args: { "cursor"?: string,"episode_id"?: string,"from"?: string,"limit"?: number,"podcast_id": string,"status"?: Database["public"]['Enums']["booking_status"],"to"?: string }; Returns: Json
                           },
"list_calendars":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"list_episode_people":
{ Args: { "episode_id": string }; Returns: Json
                           },
"list_extra_tags":
{ Args: { "episode_id"?: string,"podcast_id": string }; Returns: Json
                           },
"list_guest_messages":
{ Args: { "access_token": string,"cursor"?: string,"limit"?: number }; Returns: Json
                           },
"list_notification_mutes":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"list_notifications":
{ Args: { "archived_only"?: boolean,"category"?: Database["public"]['Enums']["notification_category"],"cursor"?: string,"limit"?: number,"priority"?: Database["public"]['Enums']["notification_priority"],"unread_only"?: boolean }; Returns: Json
                           },
"list_podcast_guests":
{ Args: { "limit"?: number,"podcast_id": string,"q"?: string }; Returns: Json
                           },
"list_public_episode_page":
{ Args: { "page"?: number,"slug": string }; Returns: Json
                           },
"list_public_episodes":
{ Args: { "cursor"?: string,"limit"?: number,"q"?: string,"slug": string }; Returns: Json
                           },
"list_public_sitemap_urls":
{ Args: { "page"?: number,"slug": string }; Returns: Json
                           },
"list_public_sitemaps":
{ Args: { "page"?: number }; Returns: Json
                           },
"list_public_transcripts":
{ Args: { "episode_id": string }; Returns: Json
                           },
"list_push_subscriptions":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"list_queue_messages":
{ Args: { "max_messages"?: number,"queue"?: string,"request_id"?: string }; Returns: Json
                           },
"list_queues":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"mark_all_notifications_read":
{ Args: { "category"?: Database["public"]['Enums']["notification_category"] }; Returns: Json
                           },
"mark_guest_notifications_read":
{ Args: { "access_token": string,"episode_id": string }; Returns: undefined
                           },
"mark_notification_group_read":
{ Args: { "group_key": string,"link": string }; Returns: Json
                           },
"mark_notification_read":
{ Args: { "notification_id": string }; Returns: {
              "archived_at": string | null,
"body": string | null,
"category": Database["public"]['Enums']["notification_category"],
"created_at": string,
"episode_guest_id": string | null,
"group_key": string | null,
"id": string,
"link": string | null,
"metadata": NonNullable<Json>,
"priority": Database["public"]['Enums']["notification_priority"],
"read_at": string | null,
"released_for": string | null,
"scheduled_for": string | null,
"title": string,
"type": string,
"unlisted_user_id": string | null,
"updated_at": string,
"user_id": string | null
            }
                          SetofOptions: {
        from: "*"
        to: "notifications"
        isOneToOne: true
        isSetofReturn: false
      } },
"mark_notification_unread":
{ Args: { "notification_id": string }; Returns: {
              "archived_at": string | null,
"body": string | null,
"category": Database["public"]['Enums']["notification_category"],
"created_at": string,
"episode_guest_id": string | null,
"group_key": string | null,
"id": string,
"link": string | null,
"metadata": NonNullable<Json>,
"priority": Database["public"]['Enums']["notification_priority"],
"read_at": string | null,
"released_for": string | null,
"scheduled_for": string | null,
"title": string,
"type": string,
"unlisted_user_id": string | null,
"updated_at": string,
"user_id": string | null
            }
                          SetofOptions: {
        from: "*"
        to: "notifications"
        isOneToOne: true
        isSetofReturn: false
      } },
"mute_notifications":
{ Args: { "episode_id"?: string,"muted_until"?: string,"mutes_mentions"?: boolean,"podcast_id"?: string,"scope": Database["public"]['Enums']["notification_mute_scope"] }; Returns: Json
                           },
"notify_chat_message":
{ Args: { "access_token"?: string,"active_guest_ids"?: (string)[],"active_user_ids"?: (string)[],"episode_id": string,"message_id": string }; Returns: Json
                           },
"offer_podcast_transfer":
{ Args: { "podcast_id": string,"user_id": string }; Returns: {
              "created_at": string,
"id": string,
"offered_by": string,
"podcast_id": string,
"status": Database["public"]['Enums']["podcast_transfer_status"],
"storage_bytes": number,
"updated_at": string,
"user_id": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_transfers"
        isOneToOne: true
        isSetofReturn: false
      } },
"pause_podcast":
{ Args: { "podcast_id": string }; Returns: Json
                           },
"pause_queue":
{ Args: { "queue": string }; Returns: Json
                           },
"post_guest_message":
{ Args: { "access_token": string,"body": string }; Returns: Json
                           },
"presign_audio_upload":
{ Args: { "content_type": string,"episode_id": string,"file_size": number,"filename": string,"podcast_id": string }; Returns: Json
                           },
"presign_image_upload":
{ Args: { "content_type": string,"episode_id"?: string,"filename": string,"image_type": string,"podcast_id": string }; Returns: Json
                           },
"presign_transcript_upload":
{ Args: { "content_type": string,"episode_id": string,"file_size": number,"filename": string,"podcast_id": string }; Returns: Json
                           },
"preview_automation_template":
{ Args: { "body_html"?: string,"body_text"?: string,"sample_data"?: Json,"subject"?: string,"trigger_type"?: Database["public"]['Enums']["automation_trigger"] }; Returns: Json
                           },
"publish_episode":
{ Args: { "episode_id": string }; Returns: {
              "alternate_enclosures": NonNullable<Json>,
"audio_content_type": string | null,
"audio_duration_seconds": number | null,
"audio_file_size_bytes": number | null,
"audio_has_seek_table": boolean | null,
"audio_url": string | null,
"chapters_url": string | null,
"content_links": NonNullable<Json>,
"cover_image_url": string | null,
"created_at": string,
"created_by": string | null,
"description": string,
"episode_display": string | null,
"episode_number": number | null,
"episode_type": Database["public"]['Enums']["episode_type"],
"explicit": boolean,
"extra_tags": NonNullable<Json>,
"first_published_at": string | null,
"funding": NonNullable<Json>,
"guid": string,
"id": string,
"images": NonNullable<Json>,
"is_blocked": boolean,
"itunes_title": string | null,
"keywords": NonNullable<Json>,
"license": string | null,
"license_url": string | null,
"link": string | null,
"locations": NonNullable<Json>,
"origin": Database["public"]['Enums']["episode_origin"],
"podcast_id": string,
"published_at": string | null,
"scheduled_at": string | null,
"season_name": string | null,
"season_number": number | null,
"show_notes_html": string | null,
"show_notes_safe_html": string | null,
"show_notes_version": number | null,
"slug": string,
"social_interactions": NonNullable<Json>,
"soundbites": NonNullable<Json>,
"status": Database["public"]['Enums']["episode_status"],
"subtitle": string | null,
"summary": string | null,
"tags": NonNullable<Json>,
"texts": NonNullable<Json>,
"title": string,
"updated_at": string,
"value_blocks": NonNullable<Json>
            }
                          SetofOptions: {
        from: "*"
        to: "episodes"
        isOneToOne: true
        isSetofReturn: false
      } },
"record_email_click":
{ Args: { "token": string }; Returns: string
                           },
"record_email_open":
{ Args: { "token": string }; Returns: undefined
                           },
"record_push_click":
{ Args: { "delivery_id": string,"notification_id": string }; Returns: Json
                           },
"remove_calendar_connection":
{ Args: { "connection_id": string }; Returns: Json
                           },
"remove_episode_audio":
{ Args: { "episode_id": string }; Returns: {
              "alternate_enclosures": NonNullable<Json>,
"audio_content_type": string | null,
"audio_duration_seconds": number | null,
"audio_file_size_bytes": number | null,
"audio_has_seek_table": boolean | null,
"audio_url": string | null,
"chapters_url": string | null,
"content_links": NonNullable<Json>,
"cover_image_url": string | null,
"created_at": string,
"created_by": string | null,
"description": string,
"episode_display": string | null,
"episode_number": number | null,
"episode_type": Database["public"]['Enums']["episode_type"],
"explicit": boolean,
"extra_tags": NonNullable<Json>,
"first_published_at": string | null,
"funding": NonNullable<Json>,
"guid": string,
"id": string,
"images": NonNullable<Json>,
"is_blocked": boolean,
"itunes_title": string | null,
"keywords": NonNullable<Json>,
"license": string | null,
"license_url": string | null,
"link": string | null,
"locations": NonNullable<Json>,
"origin": Database["public"]['Enums']["episode_origin"],
"podcast_id": string,
"published_at": string | null,
"scheduled_at": string | null,
"season_name": string | null,
"season_number": number | null,
"show_notes_html": string | null,
"show_notes_safe_html": string | null,
"show_notes_version": number | null,
"slug": string,
"social_interactions": NonNullable<Json>,
"soundbites": NonNullable<Json>,
"status": Database["public"]['Enums']["episode_status"],
"subtitle": string | null,
"summary": string | null,
"tags": NonNullable<Json>,
"texts": NonNullable<Json>,
"title": string,
"updated_at": string,
"value_blocks": NonNullable<Json>
            }
                          SetofOptions: {
        from: "*"
        to: "episodes"
        isOneToOne: true
        isSetofReturn: false
      } },
"remove_episode_guest":
{ Args: { "episode_guest_id": string }; Returns: Json
                           },
"remove_episode_person":
{ Args: { "episode_id": string,"person_id": string }; Returns: Json
                           },
"remove_episode_person_credit":
{ Args: { "episode_id": string,"person_id": string }; Returns: Json
                           },
"remove_extra_tags":
{ Args: { "all_episodes"?: boolean,"episode_id"?: string,"podcast_id": string,"tags": (string)[] }; Returns: Json
                           },
"remove_push_subscription":
{ Args: { "endpoint"?: string,"subscription_id"?: string }; Returns: Json
                           },
"reorder_episode_credits":
{ Args: { "credit_ids": (string)[],"episode_id": string }; Returns: Json
                           },
"request_automation_address":
{ Args: { "email": string,"podcast_id": string }; Returns: Json
                           },
"request_booking":
{ Args: { "answers"?: Json,"booking_link_id": string,"episode_id"?: string,"guest_email": string,"guest_name": string,"guest_timezone"?: string,"idempotency_key"?: string,"locale"?: string,"notes"?: string,"start_time": string }; Returns: Json
                           },
"request_email_confirmation":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"reschedule_booking":
{ Args: { "booking_id": string,"start_time": string }; Returns: Json
                           },
"reschedule_guest_booking":
{ Args: { "access_token": string,"start_time": string }; Returns: Json
                           },
"resend_ownership_code":
{ Args: { "import_id": string }; Returns: Json
                           },
"resend_podcast_invitation":
{ Args: { "invitation_id": string }; Returns: {
              "accepted_by": string | null,
"created_at": string,
"email": string,
"email_due_at": string | null,
"email_status": Database["public"]['Enums']["email_status"] | null,
"expires_at": string,
"id": string,
"invited_by": string | null,
"inviter_name": string | null,
"podcast_id": string,
"podcast_title": string,
"role": Database["public"]['Enums']["podcast_role"],
"status": Database["public"]['Enums']["podcast_invitation_status"],
"updated_at": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_invitations"
        isOneToOne: true
        isSetofReturn: false
      } },
"resume_import":
{ Args: { "import_id": string }; Returns: Json
                           },
"resume_queue":
{ Args: { "queue": string }; Returns: Json
                           },
"retry_automation_execution":
{ Args: { "execution_id": string,"replay"?: boolean }; Returns: Json
                           },
"retry_failed_automation_executions":
{ Args: { "from"?: string,"rule_id": string,"to"?: string }; Returns: Json
                           },
"retry_failed_deliveries":
{ Args: { "channel"?: Database["public"]['Enums']["notification_channel"],"failed_from": string,"failed_until": string,"max_deliveries"?: number }; Returns: Json
                           },
"retry_failed_import_items":
{ Args: { "import_id": string }; Returns: Json
                           },
"retry_import_files":
{ Args: { "import_id": string }; Returns: Json
                           },
"retry_import_item":
{ Args: { "import_id": string,"item_id": string }; Returns: Json
                           },
"retry_queue_messages":
{ Args: { "max_messages"?: number,"message_id"?: number,"queue": string }; Returns: Json
                           },
"rotate_webhook_secret":
{ Args: { "action_id": string,"secret": string }; Returns: Json
                           },
"schedule_episode":
{ Args: { "episode_id": string,"scheduled_at": string }; Returns: {
              "alternate_enclosures": NonNullable<Json>,
"audio_content_type": string | null,
"audio_duration_seconds": number | null,
"audio_file_size_bytes": number | null,
"audio_has_seek_table": boolean | null,
"audio_url": string | null,
"chapters_url": string | null,
"content_links": NonNullable<Json>,
"cover_image_url": string | null,
"created_at": string,
"created_by": string | null,
"description": string,
"episode_display": string | null,
"episode_number": number | null,
"episode_type": Database["public"]['Enums']["episode_type"],
"explicit": boolean,
"extra_tags": NonNullable<Json>,
"first_published_at": string | null,
"funding": NonNullable<Json>,
"guid": string,
"id": string,
"images": NonNullable<Json>,
"is_blocked": boolean,
"itunes_title": string | null,
"keywords": NonNullable<Json>,
"license": string | null,
"license_url": string | null,
"link": string | null,
"locations": NonNullable<Json>,
"origin": Database["public"]['Enums']["episode_origin"],
"podcast_id": string,
"published_at": string | null,
"scheduled_at": string | null,
"season_name": string | null,
"season_number": number | null,
"show_notes_html": string | null,
"show_notes_safe_html": string | null,
"show_notes_version": number | null,
"slug": string,
"social_interactions": NonNullable<Json>,
"soundbites": NonNullable<Json>,
"status": Database["public"]['Enums']["episode_status"],
"subtitle": string | null,
"summary": string | null,
"tags": NonNullable<Json>,
"texts": NonNullable<Json>,
"title": string,
"updated_at": string,
"value_blocks": NonNullable<Json>
            }
                          SetofOptions: {
        from: "*"
        to: "episodes"
        isOneToOne: true
        isSetofReturn: false
      } },
"select_calendars":
{ Args: { "receiving_id"?: string,"selected_ids": (string)[] }; Returns: Json
                           },
"set_booking_location":
{ Args: { "booking_id": string,"location": Json }; Returns: Json
                           },
"set_episode_chapters":
{ Args: { "chapters": Json,"episode_id": string }; Returns: Json
                           },
"set_episode_person_credit":
{ Args: { "changes"?: Json,"episode_id": string,"person_id": string }; Returns: Json
                           },
"set_feed_redirect":
{ Args: { "podcast_id": string,"redirect_url": string }; Returns: Json
                           },
"set_podcast_credits":
{ Args: { "credits": Json,"podcast_id": string }; Returns: Json
                           },
"start_import":
{ Args: { "feed_password"?: string,"feed_url": string,"feed_username"?: string,"podcast_id": string }; Returns: Json
                           },
"test_automation_action":
{ Args: { "action_id": string,"booking_id"?: string,"episode_guest_id"?: string,"episode_id"?: string,"import_id"?: string }; Returns: Json
                           },
"toggle_automation_rule":
{ Args: { "is_enabled"?: boolean,"rule_id": string }; Returns: Json
                           },
"unarchive_all_notifications":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"unarchive_notification":
{ Args: { "notification_id": string }; Returns: {
              "archived_at": string | null,
"body": string | null,
"category": Database["public"]['Enums']["notification_category"],
"created_at": string,
"episode_guest_id": string | null,
"group_key": string | null,
"id": string,
"link": string | null,
"metadata": NonNullable<Json>,
"priority": Database["public"]['Enums']["notification_priority"],
"read_at": string | null,
"released_for": string | null,
"scheduled_for": string | null,
"title": string,
"type": string,
"unlisted_user_id": string | null,
"updated_at": string,
"user_id": string | null
            }
                          SetofOptions: {
        from: "*"
        to: "notifications"
        isOneToOne: true
        isSetofReturn: false
      } },
"unmute_notifications":
{ Args: { "mute_id": string }; Returns: Json
                           },
"unpause_podcast":
{ Args: { "podcast_id": string }; Returns: Json
                           },
"unpublish_episode":
{ Args: { "episode_id": string }; Returns: {
              "alternate_enclosures": NonNullable<Json>,
"audio_content_type": string | null,
"audio_duration_seconds": number | null,
"audio_file_size_bytes": number | null,
"audio_has_seek_table": boolean | null,
"audio_url": string | null,
"chapters_url": string | null,
"content_links": NonNullable<Json>,
"cover_image_url": string | null,
"created_at": string,
"created_by": string | null,
"description": string,
"episode_display": string | null,
"episode_number": number | null,
"episode_type": Database["public"]['Enums']["episode_type"],
"explicit": boolean,
"extra_tags": NonNullable<Json>,
"first_published_at": string | null,
"funding": NonNullable<Json>,
"guid": string,
"id": string,
"images": NonNullable<Json>,
"is_blocked": boolean,
"itunes_title": string | null,
"keywords": NonNullable<Json>,
"license": string | null,
"license_url": string | null,
"link": string | null,
"locations": NonNullable<Json>,
"origin": Database["public"]['Enums']["episode_origin"],
"podcast_id": string,
"published_at": string | null,
"scheduled_at": string | null,
"season_name": string | null,
"season_number": number | null,
"show_notes_html": string | null,
"show_notes_safe_html": string | null,
"show_notes_version": number | null,
"slug": string,
"social_interactions": NonNullable<Json>,
"soundbites": NonNullable<Json>,
"status": Database["public"]['Enums']["episode_status"],
"subtitle": string | null,
"summary": string | null,
"tags": NonNullable<Json>,
"texts": NonNullable<Json>,
"title": string,
"updated_at": string,
"value_blocks": NonNullable<Json>
            }
                          SetofOptions: {
        from: "*"
        to: "episodes"
        isOneToOne: true
        isSetofReturn: false
      } },
"unsubscribe_email":
{ Args: { "all_podcasts"?: boolean,"token": string,"undo"?: boolean }; Returns: Json
                           },
"update_automation_rule":
{ Args: { "changes": Json,"rule_id": string }; Returns: Json
                           },
"update_automation_template":
{ Args: { "changes": Json,"template_id": string }; Returns: Json
                           },
"update_booking_link":
{ Args: { "booking_link_id": string,"changes": Json }; Returns: Json
                           },
"update_deleted_podcast_redirect":
{ Args: { "podcast_id": string,"redirect_url": string }; Returns: Json
                           },
"update_deletion_redirect":
{ Args: { "podcast_id": string,"redirect_url": string }; Returns: Json
                           },
"update_episode_person":
{ Args: { "changes": Json,"episode_id": string,"person_id": string }; Returns: Json
                           },
"update_podcast_guest":
{ Args: { "changes": Json,"podcast_guest_id": string }; Returns: Json
                           },
"verify_guest_booking":
{ Args: { "access_token": string }; Returns: Json
                           },
"verify_import_ownership":
{ Args: { "code": string,"import_id": string }; Returns: Json
                           },
"withdraw_podcast_invitation":
{ Args: { "invitation_id": string }; Returns: {
              "accepted_by": string | null,
"created_at": string,
"email": string,
"email_due_at": string | null,
"email_status": Database["public"]['Enums']["email_status"] | null,
"expires_at": string,
"id": string,
"invited_by": string | null,
"inviter_name": string | null,
"podcast_id": string,
"podcast_title": string,
"role": Database["public"]['Enums']["podcast_role"],
"status": Database["public"]['Enums']["podcast_invitation_status"],
"updated_at": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_invitations"
        isOneToOne: true
        isSetofReturn: false
      } },
"withdraw_podcast_transfer":
{ Args: { "transfer_id": string }; Returns: {
              "created_at": string,
"id": string,
"offered_by": string,
"podcast_id": string,
"status": Database["public"]['Enums']["podcast_transfer_status"],
"storage_bytes": number,
"updated_at": string,
"user_id": string
            }
                          SetofOptions: {
        from: "*"
        to: "podcast_transfers"
        isOneToOne: true
        isSetofReturn: false
      } }
          }
          Enums: {
            "automation_action_type": "send_email"|"send_webhook"|"update_field","automation_execution_status": "pending"|"running"|"completed"|"failed"|"canceled","automation_tag_kind": "text"|"moment"|"url","automation_template_category": "booking"|"guest"|"episode"|"general","automation_trigger": "booking.requested"|"booking.confirmed"|"booking.declined"|"booking.rescheduled"|"booking.cancelled"|"time.before_recording"|"time.after_recording"|"guest.accepted"|"episode.scheduled"|"episode.published"|"import.completed","billing_interval": "day"|"week"|"month"|"year","booking_status": "pending"|"confirmed"|"declined"|"cancelled","calendar_connection_status": "pending"|"active"|"failing"|"revoked","calendar_provider": "google"|"microsoft"|"caldav"|"ics","conflict_scope": "link"|"podcast","credit_role_label": "Host"|"Co-host"|"Producer"|"Guest"|"Editor"|"Composer","delivery_status": "pending"|"queued"|"sent"|"delivered"|"opened"|"clicked"|"bounced"|"failed"|"canceled","digest_frequency": "off"|"daily"|"weekly","email_status": "waiting"|"queued"|"sent"|"delivered"|"bounced"|"suppressed"|"canceled"|"failed","episode_guest_status": "invited"|"active"|"declined"|"removed","episode_origin": "app"|"import","episode_status": "draft"|"scheduled"|"published"|"archived","episode_type": "full"|"trailer"|"bonus","hosting_type": "native"|"external","import_future_items": "publish"|"schedule","import_item_status": "pending"|"processing"|"completed"|"failed"|"skipped_duplicate"|"skipped_oversize"|"skipped_canceled"|"skipped_user_limit","import_status": "verification_required"|"preview"|"pending"|"running"|"completed"|"partial"|"failed"|"canceled","import_verification_method": "email_code"|"feed_recheck","notification_category": "episode"|"collaboration"|"team"|"booking"|"system","notification_channel": "in_app"|"email"|"push","notification_mute_scope": "podcast"|"episode"|"chat","notification_priority": "low"|"normal"|"immediate","person_source_type": "team"|"guest"|"external","podcast_invitation_status": "pending"|"accepted"|"declined"|"withdrawn"|"expired","podcast_role": "member"|"admin"|"owner","podcast_status": "active"|"paused"|"pending_deletion","podcast_transfer_status": "pending"|"accepted"|"declined"|"withdrawn"|"ended","podcast_type": "episodic"|"serial"
          }
          CompositeTypes: {
            [_ in never]: never
          }
        }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R
    }
    ? R
    : never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I
    }
    ? I
    : never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U
    }
    ? U
    : never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  "public": {
          Enums: {
            "automation_action_type": ["send_email", "send_webhook", "update_field"],"automation_execution_status": ["pending", "running", "completed", "failed", "canceled"],"automation_tag_kind": ["text", "moment", "url"],"automation_template_category": ["booking", "guest", "episode", "general"],"automation_trigger": ["booking.requested", "booking.confirmed", "booking.declined", "booking.rescheduled", "booking.cancelled", "time.before_recording", "time.after_recording", "guest.accepted", "episode.scheduled", "episode.published", "import.completed"],"billing_interval": ["day", "week", "month", "year"],"booking_status": ["pending", "confirmed", "declined", "cancelled"],"calendar_connection_status": ["pending", "active", "failing", "revoked"],"calendar_provider": ["google", "microsoft", "caldav", "ics"],"conflict_scope": ["link", "podcast"],"credit_role_label": ["Host", "Co-host", "Producer", "Guest", "Editor", "Composer"],"delivery_status": ["pending", "queued", "sent", "delivered", "opened", "clicked", "bounced", "failed", "canceled"],"digest_frequency": ["off", "daily", "weekly"],"email_status": ["waiting", "queued", "sent", "delivered", "bounced", "suppressed", "canceled", "failed"],"episode_guest_status": ["invited", "active", "declined", "removed"],"episode_origin": ["app", "import"],"episode_status": ["draft", "scheduled", "published", "archived"],"episode_type": ["full", "trailer", "bonus"],"hosting_type": ["native", "external"],"import_future_items": ["publish", "schedule"],"import_item_status": ["pending", "processing", "completed", "failed", "skipped_duplicate", "skipped_oversize", "skipped_canceled", "skipped_user_limit"],"import_status": ["verification_required", "preview", "pending", "running", "completed", "partial", "failed", "canceled"],"import_verification_method": ["email_code", "feed_recheck"],"notification_category": ["episode", "collaboration", "team", "booking", "system"],"notification_channel": ["in_app", "email", "push"],"notification_mute_scope": ["podcast", "episode", "chat"],"notification_priority": ["low", "normal", "immediate"],"person_source_type": ["team", "guest", "external"],"podcast_invitation_status": ["pending", "accepted", "declined", "withdrawn", "expired"],"podcast_role": ["member", "admin", "owner"],"podcast_status": ["active", "paused", "pending_deletion"],"podcast_transfer_status": ["pending", "accepted", "declined", "withdrawn", "ended"],"podcast_type": ["episodic", "serial"]
          }
        }
} as const
