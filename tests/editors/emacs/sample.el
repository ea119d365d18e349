;;; sample.el --- A user's session in the sample control repository -*- lexical-binding: t; -*-

(require 'package)
(package-initialize)
(require 'yaml-mode)

(defvar passed 0)
(defvar failed 0)

(defconst root (file-name-as-directory (getenv "HIERA_ROOT")))

(defconst patience 20.0
  "Seconds until a wait gives up: far more than any answer takes.")

(defun check (condition what)
  "Count CONDITION under the name WHAT."
  (if condition (setq passed (1+ passed)) (setq failed (1+ failed)))
  (message "%s %s" (if condition "ok  " "FAIL") what)
  condition)

(defun eventually (what ask)
  "Wait until ASK gives something, and count it as WHAT."
  (let ((end (+ (float-time) patience)) answer)
    (while (and (not (setq answer (ignore-errors (funcall ask)))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (check answer what)))

(defun open (file)
  "Show FILE of the sample."
  (find-file (concat root file))
  ;; `eglot-ensure' waits for the command loop, which a batch does not have.
  (run-hooks 'post-command-hook))

(defun put-cursor (text &optional within)
  "Go to TEXT, and WITHIN characters on."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (+ (match-beginning 0) (or within 1))))

(defun ask (method &optional params)
  "Ask the server METHOD with PARAMS, or about the cursor."
  (jsonrpc-request (eglot--current-server-or-lose) method (or params (eglot--TextDocumentPositionParams))))

(defun hover (text &optional within)
  "What a hover says WITHIN characters after TEXT."
  (put-cursor text within)
  (or (plist-get (plist-get (ask :textDocument/hover) :contents) :value) ""))

(defun says (text part)
  "Whether TEXT has PART in it."
  (string-match-p (regexp-quote part) text))

(defun signal-edit (before after)
  "Put AFTER in the place of the text BEFORE, and tell the server."
  (goto-char (point-min))
  (search-forward before)
  (replace-match after t t)
  ;; Idle timers, which send what was typed, do not run in a batch.
  (eglot--signal-textDocument/didChange))

;; What the modes of packages are to eglot: modes for the files.
(define-derived-mode puppet-mode prog-mode "Puppet")
(define-derived-mode json-mode prog-mode "JSON")
(add-to-list 'auto-mode-alist '("\\.pp\\'" . puppet-mode))
(add-to-list 'auto-mode-alist '("\\.json\\'" . json-mode))

;; The user's setup is the documented one; only the server's place is ours.
(setenv "PATH" (concat (file-name-directory (getenv "HIERA_LS")) path-separator (getenv "PATH")))
(push (file-name-directory (getenv "HIERA_LS")) exec-path)
(setq eglot-sync-connect 10 eglot-autoshutdown t flymake-no-changes-timeout 0.1)
(load (getenv "HIERA_SNIPPET") nil t)

(open "data/common.yaml")
(check (eq major-mode 'yaml-mode) "the mode is yaml-mode")
(eventually "eglot manages the buffer" #'eglot-managed-p)
(let ((project (project-root (eglot--project (eglot--current-server-or-lose)))))
  (check (equal (file-truename root) (file-name-as-directory (file-truename project))) (format "for the whole repository: %s" project)))

(eventually "a hover shows the value" (lambda () (says (hover "company::contact") "operations@kittiwake.example")))
(check (says (hover "lookup('company::domain')" 10) "kittiwake.example") "a hover on a token shows what it finds")
(open "data/nodes/web01.kittiwake.example.yaml")
(eventually "the same server manages another file" #'eglot-managed-p)
(let ((text (hover "profile::base::packages")))
  (check (says text "goaccess") "a hover shows a merged value")
  (check (says text "common.yaml") "and where it comes from"))

(defconst server (eglot-current-server))
(open "data/harbours/bergen.json")
(eventually "the same server manages JSON" (lambda () (and (eglot-managed-p) (eq (eglot-current-server) server))))
(open "site-modules/profile/manifests/web.pp")
(eventually "the same server manages a manifest" (lambda () (and (eglot-managed-p) (eq (eglot-current-server) server))))
(check (says (hover "$worker_processes" 2) "profile::web::worker_processes") "a hover in a manifest is about the key")

(open "data/common.yaml")
(flymake-mode 1)
(goto-char (point-max))
(insert "company::slogan: \"%{lokup('company::name')}\"\n")
;; Idle timers, which send what was typed, do not run in a batch.
(eglot--signal-textDocument/didChange)
(eventually "a misspelt function is a problem"
            (lambda ()
              (flymake-start)
              (accept-process-output nil 0.1)
              (seq-some (lambda (it) (says (flymake-diagnostic-text it) "lokup")) (flymake-diagnostics))))
(revert-buffer t t)
(run-hooks 'post-command-hook)
(eventually "eglot manages the buffer after it is reverted" #'eglot-managed-p)

(put-cursor "lookup('company::domain')" 10)
(let ((places (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot))))
  (check (= 1 (length places)) "xref finds the definition")
  (check (says (xref-item-summary (car places)) "company::domain: kittiwake") "on its line"))

(check (equal '("db01.kittiwake.example" "kiosk03.kittiwake.example" "web01.kittiwake.example")
              (sort (mapcar (lambda (it) (plist-get it :name))
                            (jsonrpc-request (eglot--current-server-or-lose) :hiera/nodes nil))
                    #'string<))
       "the nodes are known")
(hiera-ls-select-node "db01.kittiwake.example")
(check (says (hover "profile::base::packages:" 3) "dnf-automatic") "hovers answer for the chosen node")

(hiera-ls-select-node "")
(open "data/roles/database.yaml")
(eventually "eglot manages the file of a role" #'eglot-managed-p)
(let ((text (hover "profile::database::shared_buffers")))
  (check (says text "any node where") "with no node chosen, a hover is for any node that reads the file")
  (check (says text "4GB") "it shows what most nodes get")
  (check (says text "16GB if trusted.certname is db01.kittiwake.example") "and the cases"))
(let* ((offered nil)
       (completing-read-function
        (lambda (_prompt collection &rest _)
          (setq offered (mapcar #'car collection))
          (car offered))))
  (put-cursor "profile::database::shared_buffers")
  (call-interactively #'hiera-ls-pick-case)
  (check (equal offered '("trusted.certname is db01.kittiwake.example: \"16GB\"")) "the case can be picked")
  (let ((text (hover "profile::database::shared_buffers")))
    (check (and (says text "16GB") (not (says text " if "))) "and then holds"))
  (open "data/common.yaml")
  (put-cursor "profile::base::sysctl:")
  (call-interactively #'hiera-ls-pick-case)
  (check (and (= 1 (length offered))
              (string-prefix-p "trusted.extensions.pp_role is database: {\"net.ipv4.ip_forward\"=>0, " (car offered)))
         "another case can be picked")
  (check (= 2 (/ (length (hiera-ls--assumed)) 2)) "and is assumed as well")
  (check (says (hover "profile::base::sysctl:") "overcommit") "and holds")
  (call-interactively #'hiera-ls-forget)
  (check (null (hiera-ls--assumed)) "all of it can be forgotten"))
(put-cursor "company::domain: ")
(check (condition-case problem (progn (call-interactively #'hiera-ls-pick-case) nil)
         (user-error (says (cadr problem) "no cases")))
       "where all nodes get the same value, there are no cases")

(defun changes ()
  "What the view of changes shows."
  (accept-process-output nil 0.05)
  (with-current-buffer "*Hiera: What Changes*" (buffer-string)))

(open "data/common.yaml")
(call-interactively #'hiera-ls-changes)
(check (says (changes) "0 answers change") "nothing is edited")
(signal-edit "company::domain: kittiwake.example" "company::domain: new.kittiwake.example")
(eventually "the view of changes follows what is typed" (lambda () (says (changes) "+ new.kittiwake.example")))
(check (says (changes) "because of data/common.yaml:") "and says why")
(eventually "the mode line can say what the edited key changes"
            (lambda () (accept-process-output nil 0.05) (says (hiera-ls-edited) "of 3 nodes")))
(with-current-buffer "*Hiera: What Changes*"
  (goto-char (point-min))
  (search-forward "+ new.")
  (save-window-excursion
    (hiera-ls-changes-visit)
    (check (says (thing-at-point 'line) "company::domain: new.") "RET goes to the cause")))
(open "data/common.yaml")
(put-cursor "company::domain: ")
(let ((before (hiera-ls-edited)))
  (open "data/roles/web.yaml")
  (eventually "eglot manages another file" #'eglot-managed-p)
  (signal-edit "# Web servers." "company::domain: web.example")
  (open "data/common.yaml")
  (eventually "the mode line follows an edit in another file"
              (lambda () (accept-process-output nil 0.05) (not (equal before (hiera-ls-edited)))))
  (open "data/roles/web.yaml")
  (signal-edit "company::domain: web.example" "# Web servers.")
  (set-buffer-modified-p nil))
(with-current-buffer "*Hiera: What Changes*"
  (hiera-ls-select-node "db01.kittiwake.example")
  (hiera-ls-select-node "")
  (hiera-ls-forget)
  (check (eq server (car hiera-ls--question)) "commands in the view of changes are for its server")
  (hiera-ls-changes)
  (check (says (changes) "+ new.kittiwake.example") "and it can be opened again there")
  (check (condition-case problem (progn (call-interactively #'hiera-ls-pick-case) nil)
           (user-error (says (cadr problem) "no key at point")))
         "a case is picked in a file"))
(dolist (action '((:title "" :command "hiera.changes") (:title "" :command (:title "" :command "hiera.changes"))))
  (open "data/common.yaml")
  (kill-buffer "*Hiera: What Changes*")
  (eglot-execute server action)
  (check (get-buffer "*Hiera: What Changes*") "the action that shows the changes opens the view in Emacs 30"))
(open "data/common.yaml")
(set-buffer-modified-p nil)
(kill-buffer)
(check (condition-case problem
           (progn (open "data/roles/web.yaml")
                  (eventually "eglot manages another file" #'eglot-managed-p)
                  (hiera-ls-changes "nowhere")
                  nil)
         (error (string-match-p "nowhere is not a commit\\|is not in a Git repository" (format "%s" problem))))
       "an unknown revision is said")

(eglot-shutdown (eglot--current-server-or-lose))
(message "%d passed, %d failed" passed failed)
(kill-emacs (if (= failed 0) 0 1))
;;; sample.el ends here
