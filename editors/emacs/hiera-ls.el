;;; hiera-ls.el --- Hiera data with eglot -*- lexical-binding: t; -*-

;; What docs/install/emacs.md shows; tests/editors/emacs runs it.

(require 'cl-lib)
(require 'eglot)

;; Each for the modes that there are: yaml-ts-mode and json-ts-mode are part of Emacs 29.
;; Leave out puppet-mode where another server shall have Puppet code: eglot has one for each buffer.
(dolist (mode '(yaml-mode yaml-ts-mode json-mode json-ts-mode js-json-mode puppet-mode puppet-ts-mode))
  (add-to-list 'eglot-server-programs (cons mode '(hiera-ls-server "hiera-ls" "server"))))

(defclass hiera-ls-server (eglot-lsp-server) ()
  :documentation "A server that says when what it was asked may have another answer.")

(cl-defmethod eglot-client-capabilities ((_server hiera-ls-server))
  "What LSP has no word for."
  (plist-put (cl-call-next-method)
             :experimental '(:previewChanged t :commands (:commands ["hiera.changes"]))))

(cl-defmethod eglot-execute-command ((_server hiera-ls-server) (_command (eql hiera.changes)) _arguments)
  "What the action \"Show whose answers change\" does."
  (hiera-ls-changes))

(cl-defmethod eglot-handle-notification ((_server hiera-ls-server) (_method (eql hiera/previewChanged)) &rest _)
  "Bring what is shown up to date."
  (hiera-ls--follow))

(defun hiera-ls-root (directory)
  "The outermost directory at or above DIRECTORY with a hiera.yaml: modules have one, too."
  (let (root)
    (while (setq directory (locate-dominating-file directory "hiera.yaml"))
      (setq root directory
            directory (file-name-directory (directory-file-name directory))))
    root))

;; One server for the whole repository, also where it is no Git clone.
(add-hook 'project-find-functions
          (lambda (directory)
            (let ((root (hiera-ls-root directory))) (and root (cons 'transient root))))
          t)

(defun hiera-ls-maybe ()
  "Start hiera-ls where a directory above the file has a hiera.yaml."
  (when (and buffer-file-name (hiera-ls-root buffer-file-name))
    (eglot-ensure)))

(add-hook 'yaml-mode-hook #'hiera-ls-maybe)
(add-hook 'yaml-ts-mode-hook #'hiera-ls-maybe)
(add-hook 'puppet-mode-hook #'hiera-ls-maybe)
(add-hook 'puppet-ts-mode-hook #'hiera-ls-maybe)

(defun hiera-ls--ask (method &optional params)
  "What the server answers to METHOD with PARAMS."
  (jsonrpc-request (eglot--current-server-or-lose) method params))

(defun hiera-ls-select-node (name)
  "Show the values that the node called NAME gets.
With no name, show each file for any node that reads it."
  (interactive
   (list (completing-read
          "Node (empty: any node): "
          (mapcar (lambda (node) (plist-get node :name)) (hiera-ls--ask :hiera/nodes))
          nil t)))
  (hiera-ls--ask :hiera/selectNode (list :name (unless (string-empty-p name) name)))
  (if (string-empty-p name)
      (message "Showing each file for any node that reads it")
    (message "Showing the values of %s" name)))

(defun hiera-ls--assumed ()
  "What is assumed in the current buffer, as a plist of variables and their texts."
  (let ((node (hiera-ls--ask :hiera/nodeOf (list :textDocument (eglot--TextDocumentIdentifier)))))
    (apply #'append
           (mapcar (lambda (it) (list (intern (concat ":" (plist-get it :name))) (plist-get it :value)))
                   (plist-get node :assumed)))))

(defun hiera-ls--assume (variables)
  "Let all answers hold for nodes with these VARIABLES, a plist; with none, assume nothing any more."
  ;; An empty list would be sent as `null'.
  (hiera-ls--ask :hiera/assume (list :variables (or variables (make-hash-table)))))

(defun hiera-ls-pick-case ()
  "Pick one of the cases of the key at point, and show all values as they are then.
What was assumed before stays, unless the case says something else of the same variables."
  (interactive)
  (let ((cases (append (hiera-ls--ask :hiera/cases (eglot--TextDocumentPositionParams)) nil))
        (choices nil))
    (unless cases
      (user-error "There is nothing to pick: no key, or all nodes that are meant here get the same value"))
    (dolist (case cases)
      (let ((variables (plist-get case :variables)))
        ;; Only what has a text can be assumed: neither "otherwise", nor that a variable is not set.
        (when (and variables (not (memq nil variables)))
          (push (cons (format "%s: %s" (plist-get case :when) (plist-get case :value)) case) choices))))
    (unless choices
      (user-error "No case can be picked: they only say which variables are not set"))
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
  "What edits change for the nodes. It follows what is typed; RET goes to the line that is the cause."
  (setq font-lock-defaults '((("^- .*" . 'diff-removed) ("^\\+ .*" . 'diff-added)) t)))

(define-key hiera-ls-changes-mode-map (kbd "RET") #'hiera-ls-changes-visit)

(defvar-local hiera-ls--question nil "The server, and what it is asked again when something changes.")
(defvar-local hiera-ls--lines nil "What there is to say about single lines.")

(defun hiera-ls-changes (&optional revision)
  "Show which nodes get another value because of what is edited.
Compared is with what the settings say, usually the saved files; with a prefix argument, with a REVISION of Git."
  (interactive (list (and current-prefix-arg (read-string "Compare with the revision: " "HEAD"))))
  (let* ((server (eglot--current-server-or-lose))
         (params (append (list :textDocument (eglot--TextDocumentIdentifier))
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
  "Put ANSWER into the current buffer; where nothing differs, nothing is touched."
  (setq hiera-ls--lines (append (plist-get answer :lines) nil))
  (unless (equal (buffer-string) (plist-get answer :text))
    (let ((inhibit-read-only t) (line (line-number-at-pos)))
      (erase-buffer)
      (insert (plist-get answer :text))
      (goto-char (point-min))
      (forward-line (1- line)))))

(defun hiera-ls--follow ()
  "Ask again for what is shown."
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

(defvar-local hiera-ls--edited nil "When edited keys were asked for, and the answer.")
(defvar-local hiera-ls--asks-for-edited nil "Whether an answer is on its way.")

(defun hiera-ls--ask-for-edited (server moment)
  "Ask SERVER for the edited keys of the current buffer as it is at MOMENT."
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
        (moment (list (buffer-chars-modified-tick) (buffer-modified-p)))
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
      (user-error "This line comes from no file"))
    (find-file-other-window (eglot--uri-to-path (plist-get location :uri)))
    (goto-char (point-min))
    (forward-line (plist-get (plist-get (plist-get location :range) :start) :line))))

(provide 'hiera-ls)
;;; hiera-ls.el ends here
