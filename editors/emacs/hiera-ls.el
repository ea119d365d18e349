;;; hiera-ls.el --- Hiera data with eglot -*- lexical-binding: t; -*-

;; The setup that docs/install/emacs.md describes; tests/editors/emacs runs it.

(require 'cl-lib)
(require 'eglot)

(defvar hiera-ls-modes
  '(yaml-mode yaml-ts-mode json-mode json-ts-mode js-json-mode puppet-mode puppet-ts-mode)
  "The modes whose buffers hiera-ls manages, whether or not they exist here.
Eglot has one server for a buffer: if you use another one for Puppet code, set this without the modes for it before you load
this file.")

;; One entry, because eglot starts a server for each.
(add-to-list 'eglot-server-programs (cons hiera-ls-modes '(hiera-ls-server "hiera-ls" "server")))

(defclass hiera-ls-server (eglot-lsp-server) ()
  :documentation "A server that sends a notification when earlier results may have changed.")

(cl-defmethod eglot-client-capabilities ((_server hiera-ls-server))
  "Client capabilities that LSP does not define."
  (plist-put (cl-call-next-method)
             :experimental '(:previewChanged t :commands (:commands ["hiera.changes"]))))

(cl-defmethod eglot-execute ((_server hiera-ls-server) action)
  "Run ACTION, which is \"Show which nodes change\" or one that eglot can run."
  (let ((command (plist-get action :command)))
    (if (equal "hiera.changes" (if (consp command) (plist-get command :command) command))
        (hiera-ls-changes)
      (cl-call-next-method))))

;; Before Emacs 30, eglot runs commands with this function.
(cl-defmethod eglot-execute-command ((_server hiera-ls-server) (_command (eql hiera.changes)) _arguments)
  "Run the action \"Show which nodes change\"."
  (hiera-ls-changes))

(defvar hiera-ls--revision 0 "The number of notifications that earlier results may have changed.")

(cl-defmethod eglot-handle-notification ((_server hiera-ls-server) (_method (eql hiera/previewChanged)) &rest _)
  "Update the buffer with the changes, and the mode lines."
  (setq hiera-ls--revision (1+ hiera-ls--revision))
  (force-mode-line-update t)
  (hiera-ls--follow))

(defun hiera-ls-root (directory)
  "Return the outermost directory with a hiera.yaml at or above DIRECTORY.
The innermost one may be a module."
  (let (root)
    (while (setq directory (locate-dominating-file directory "hiera.yaml"))
      (setq root directory
            directory (file-name-directory (directory-file-name directory))))
    root))

;; One server for the whole repository, also if it is not a Git clone.
(add-hook 'project-find-functions
          (lambda (directory)
            (let ((root (hiera-ls-root directory))) (and root (cons 'transient root))))
          t)

(defun hiera-ls-maybe ()
  "Start hiera-ls if a directory above the file has a hiera.yaml."
  (when (and buffer-file-name (hiera-ls-root buffer-file-name))
    (eglot-ensure)))

(dolist (mode hiera-ls-modes)
  (add-hook (intern (format "%s-hook" mode)) #'hiera-ls-maybe))

(defvar-local hiera-ls--question nil "The server and the request to send again when something changes.")

(defun hiera-ls--server ()
  "Return the server of the current buffer, or of the file whose changes it shows."
  (or (car hiera-ls--question) (eglot--current-server-or-lose)))

(defun hiera-ls--document ()
  "Return the current buffer as a document, or the file whose changes it shows."
  (or (plist-get (cdr hiera-ls--question) :textDocument) (eglot--TextDocumentIdentifier)))

(defun hiera-ls--ask (method &optional params)
  "Return the server's result for METHOD with PARAMS."
  (jsonrpc-request (hiera-ls--server) method params))

(defun hiera-ls-select-node (name)
  "Show the values that the node called NAME gets.
With no name, show values for any node that reads the file."
  (interactive
   (list (completing-read
          "Node (empty: any node): "
          (mapcar (lambda (node) (plist-get node :name)) (hiera-ls--ask :hiera/nodes))
          nil t)))
  (hiera-ls--ask :hiera/selectNode (list :name (unless (string-empty-p name) name)))
  (if (string-empty-p name)
      (message "Showing values for any node that reads the file")
    (message "Showing the values of %s" name)))

(defun hiera-ls--assumed ()
  "Return what is assumed in the current buffer, as a plist of variables and values."
  (let ((node (hiera-ls--ask :hiera/nodeOf (list :textDocument (hiera-ls--document)))))
    (apply #'append
           (mapcar (lambda (it) (list (intern (concat ":" (plist-get it :name))) (plist-get it :value)))
                   (plist-get node :assumed)))))

(defun hiera-ls--assume (variables)
  "Assume that nodes have these VARIABLES, a plist; with none, stop assuming anything."
  ;; An empty list would be sent as `null'.
  (hiera-ls--ask :hiera/assume (list :variables (or variables (make-hash-table)))))

(defun hiera-ls-pick-case ()
  "Pick one of the cases of the key at point, and show all values as they are then.
What was assumed before stays, unless the case says something else of the same variables."
  (interactive)
  (when hiera-ls--question
    (user-error "There is no key at point: pick a case in a file"))
  (let ((cases (append (hiera-ls--ask :hiera/cases (eglot--TextDocumentPositionParams)) nil))
        (choices nil))
    (unless cases
      (user-error "There are no cases: no key at point, or its value does not depend on open facts"))
    (dolist (case cases)
      ;; Neither "otherwise" nor that a variable is not set can be assumed. JSON's false may be `:json-false'.
      (when (eq t (plist-get case :canBeAssumed))
        (push (cons (format "%s: %s" (plist-get case :when) (plist-get case :value)) case) choices)))
    (unless choices
      (user-error "These cases cannot be assumed: they do not give each variable a value"))
    (setq choices (nreverse choices))
    (let* ((case (cdr (assoc (completing-read "Case: " choices nil t) choices)))
           (variables (hiera-ls--assumed)))
      (when case
        (cl-loop for (name text) on (plist-get case :variables) by #'cddr
                 do (setq variables (plist-put variables name text)))
        (hiera-ls--assume variables)
        (message "Assuming that %s" (plist-get case :when))))))

(defun hiera-ls-forget ()
  "Drop all assumptions about variables that are not known."
  (interactive)
  (hiera-ls--assume nil)
  (message "Nothing is assumed"))

(defconst hiera-ls--changes-buffer "*Hiera: What Changes*")

(define-derived-mode hiera-ls-changes-mode special-mode "Hiera Changes"
  "What your edits change, and for which nodes.
The buffer follows what you type. RET goes to the edited line."
  (setq font-lock-defaults '((("^- .*" . 'diff-removed) ("^\\+ .*" . 'diff-added)) t)))

(define-key hiera-ls-changes-mode-map (kbd "RET") #'hiera-ls-changes-visit)

(defvar-local hiera-ls--lines nil "Details of single lines.")

(defun hiera-ls-changes (&optional revision)
  "Show which nodes get another value because of what is edited.
Compared is with what the settings say, usually the saved files; with a prefix argument, with a REVISION of Git."
  (interactive (list (and current-prefix-arg (read-string "Compare with the revision: " "HEAD"))))
  (let* ((server (hiera-ls--server))
         (params (append (list :textDocument (hiera-ls--document) :documentOnly t)
                         (and revision (list :with (list :revision revision)))))
         (answer (hiera-ls--ask :hiera/changes params)))
    (unless answer
      (user-error "There is no Hiera environment here"))
    (with-current-buffer (get-buffer-create hiera-ls--changes-buffer)
      (hiera-ls-changes-mode)
      (setq hiera-ls--question (cons server params))
      (hiera-ls--show answer)
      (display-buffer (current-buffer)))))

(defun hiera-ls--show (answer)
  "Put ANSWER into the current buffer, and leave it alone if nothing differs."
  (setq hiera-ls--lines (append (plist-get answer :lines) nil))
  (unless (equal (buffer-string) (plist-get answer :text))
    (let ((inhibit-read-only t) (line (line-number-at-pos)))
      (erase-buffer)
      (insert (plist-get answer :text))
      (goto-char (point-min))
      (forward-line (1- line)))))

(defun hiera-ls--follow ()
  "Request again what the buffer shows."
  (let ((buffer (get-buffer hiera-ls--changes-buffer)))
    (when buffer
      (let ((question (buffer-local-value 'hiera-ls--question buffer)))
        (when question
          (jsonrpc-async-request
           (car question) :hiera/changes (cdr question)
           :deferred 'hiera-ls-changes
           :success-fn (lambda (answer)
                         (when (and answer (buffer-live-p buffer))
                           (with-current-buffer buffer (hiera-ls--show answer))))
           :error-fn #'ignore))))))

(defvar-local hiera-ls--edited nil "The time of the last request for edited keys, and its result.")
(defvar-local hiera-ls--asks-for-edited nil "Whether a request is pending.")

(defun hiera-ls--ask-for-edited (server moment)
  "Request the edited keys of the current buffer, as it is at MOMENT, from SERVER."
  (let ((buffer (current-buffer)))
    (setq hiera-ls--asks-for-edited t)
    (jsonrpc-async-request
     server :hiera/editedKeys (list :textDocument (eglot--TextDocumentIdentifier))
     :deferred 'hiera-ls-edited
     :success-fn (lambda (keys)
                   (when (buffer-live-p buffer)
                     (with-current-buffer buffer
                       (setq hiera-ls--asks-for-edited nil
                             hiera-ls--edited (cons moment (append keys nil)))
                       (force-mode-line-update))))
     :error-fn (lambda (_) (when (buffer-live-p buffer)
                             (with-current-buffer buffer (setq hiera-ls--asks-for-edited nil))))
     :timeout-fn (lambda () (when (buffer-live-p buffer)
                              (with-current-buffer buffer (setq hiera-ls--asks-for-edited nil)))))))

(defun hiera-ls-edited ()
  "What the edit of the key at point changes: \"changes 66 of 622 nodes\", or an empty string.
For the mode line: (add-to-list \='mode-line-misc-info \='(:eval (hiera-ls-edited)))."
  (let ((server (and (eglot-managed-p) (eglot-current-server)))
        (moment (list (buffer-chars-modified-tick) (buffer-modified-p) hiera-ls--revision))
        (line (1- (line-number-at-pos nil t))))
    (if (not (hiera-ls-server-p server))
        ""
      (unless (or hiera-ls--asks-for-edited (equal moment (car hiera-ls--edited)))
        (hiera-ls--ask-for-edited server moment))
      (or (cl-loop for key in (cdr hiera-ls--edited)
                   for range = (plist-get key :range)
                   when (<= (plist-get (plist-get range :start) :line) line
                            (plist-get (plist-get range :end) :line))
                   return (plist-get key :title))
          ""))))

(defun hiera-ls-changes-visit ()
  "Go to where the line at point comes from."
  (interactive)
  (let* ((number (1- (line-number-at-pos)))
         (line (seq-find (lambda (it) (eql (plist-get it :line) number)) hiera-ls--lines))
         (location (plist-get line :location)))
    (unless location
      (user-error "This line does not come from a file"))
    (find-file-other-window (eglot--uri-to-path (plist-get location :uri)))
    (goto-char (point-min))
    (forward-line (plist-get (plist-get (plist-get location :range) :start) :line))))

(provide 'hiera-ls)
;;; hiera-ls.el ends here
